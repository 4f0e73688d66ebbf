/** Servers for copies on loopback: WebDAV and S3, small and strict, which fail on request. */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * - `cut`: the connection ends in the middle of the body of the request.
 * - `midway`: the request is done, and the connection ends in the middle of the response.
 * - `silent`: there is no response.
 * - `ignored`: the response reports success, but nothing was done.
 */
export type Fault =
  | 'cut'
  | 'midway'
  | 'silent'
  | 'ignored'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

export interface Response {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

abstract class PlaceServer {
  /** By path. */
  readonly objects = new Map<string, Buffer>()
  /** Method and path of all requests. */
  readonly calls: string[] = []
  /** Chooses the fault of a request. */
  fault: (call: string) => Fault | undefined = () => undefined
  /** May change what a request does, or its response. */
  around: (call: string, respond: () => Response, body: Buffer) => Response = (_, respond) => respond()
  readonly #server = createServer((req, res) => void this.#serve(req, res).catch(() => req.socket.destroy()))

  protected abstract respond(req: IncomingMessage, body: Buffer): Response

  /** Called when an upload was cut, with the bytes that arrived. */
  protected keepPart(_req: IncomingMessage, _part: Buffer): void {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  /** Serves a connection of a simulated network. */
  accept(socket: Duplex): void {
    this.#server.emit('connection', socket)
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Lets the next requests that match fail. */
  failNext(pattern: RegExp, fault: Fault, times = 1): void {
    let left = times
    this.fault = (call) => (pattern.test(call) && left-- > 0 ? fault : undefined)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const call = `${req.method} ${req.url}`
    this.calls.push(call)
    const fault = this.fault(call)
    const chunks: Buffer[] = []
    for await (const chunk of req) {
      chunks.push(chunk)
      if (fault !== 'cut') continue
      this.keepPart(req, Buffer.concat(chunks).subarray(0, 10))
      return void req.socket.destroy()
    }
    if (fault === 'cut') return void req.socket.destroy()
    if (fault === 'silent') return
    const body = Buffer.concat(chunks)
    const response =
      typeof fault === 'object'
        ? fault
        : fault === 'ignored'
          ? { status: 201 }
          : this.around(call, () => this.respond(req, body), body)
    const { status, headers, body: content = '' } = response
    res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(content) })
    if (fault === 'midway') res.write(Buffer.from(content).subarray(0, 5), () => req.socket.destroy())
    else res.end(content)
  }
}

/** WebDAV with a folder `/dav/`. A cut upload leaves a part of the file, as with many servers. */
export class WebdavServer extends PlaceServer {
  readonly user = 'anna'
  readonly password = 'pässword'
  readonly folders = new Set(['/dav'])
  /** Writes a path into a list. */
  href = (path: string) => path
  lastModified = new Date().toUTCString()

  get address(): string {
    return `webdav+http://${this.user}@${this.host}/dav/copy`
  }

  protected override keepPart({ method, url = '' }: IncomingMessage, part: Buffer): void {
    if (method === 'PUT') this.objects.set(url, part)
  }

  protected respond({ method, url = '', headers }: IncomingMessage, body: Buffer): Response {
    const path = decodeURIComponent(url).replace(/\/$/, '')
    const parent = path.slice(0, path.lastIndexOf('/'))
    const credentials = Buffer.from(`${this.user}:${this.password}`).toString('base64')
    if (headers.authorization !== `Basic ${credentials}`) {
      return { status: 401, headers: { 'www-authenticate': 'Basic realm="files"' } }
    }
    const object = this.objects.get(path)
    const isThere = object !== undefined || this.folders.has(path)
    switch (method) {
      case 'GET':
        return object ? { status: 200, body: object } : { status: 404 }
      case 'PUT':
        if (!this.folders.has(parent)) return { status: 409 }
        this.objects.set(path, body)
        return { status: 201 }
      case 'MKCOL':
        if (isThere) return { status: 405 }
        if (!this.folders.has(parent)) return { status: 409 }
        this.folders.add(path)
        return { status: 201 }
      case 'DELETE':
        for (const each of [...this.objects.keys(), ...this.folders]) {
          if (each !== path && !each.startsWith(`${path}/`)) continue
          this.objects.delete(each)
          this.folders.delete(each)
        }
        return { status: isThere ? 204 : 404 }
      case 'MOVE':
        return this.#move(path, String(headers.destination))
      case 'PROPFIND':
        return isThere ? this.#list(path, headers.depth === '1') : { status: 404 }
    }
    return { status: 405 }
  }

  #move(from: string, destination: string): Response {
    const to = decodeURIComponent(new URL(destination, `http://${this.host}`).pathname)
    const object = this.objects.get(from)
    if (!object) return { status: 404 }
    if (!this.folders.has(to.slice(0, to.lastIndexOf('/')))) return { status: 409 }
    this.objects.set(to, object)
    this.objects.delete(from)
    return { status: 201 }
  }

  #list(path: string, isDeep: boolean): Response {
    const all = [...this.folders, ...this.objects.keys()]
    const isListed = (each: string) =>
      each === path || (isDeep && each.slice(0, each.lastIndexOf('/')) === path)
    const rows = all.filter(isListed).map((each) => {
      const object = this.objects.get(each)
      const properties = object
        ? `<d:resourcetype/><d:getcontentlength>${object.length}</d:getcontentlength>`
        : '<d:resourcetype><d:collection/></d:resourcetype>'
      const href = this.href(object ? each : `${each}/`)
      return `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${properties}<d:getlastmodified>${this.lastModified}</d:getlastmodified></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`
    })
    return {
      status: 207,
      body: `<?xml version="1.0"?>\n<d:multistatus xmlns:d="DAV:">${rows.join('')}</d:multistatus>`,
    }
  }
}

/** S3-compatible storage with one bucket. It checks signatures by code of its own. */
export class S3Server extends PlaceServer {
  readonly credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a secret/key+' }
  readonly region = 'eu-test-1'
  /** Objects per page of a list. */
  pageSize = 2
  /** Its time; any time is accepted without it. */
  now: Date | undefined

  get address(): string {
    return `s3://bucket/my%20copy?endpoint=http://${this.host}&region=${this.region}`
  }

  protected respond(req: IncomingMessage, body: Buffer): Response {
    const { method, url = '' } = req
    const { pathname, searchParams } = new URL(url, `http://${this.host}`)
    const [, bucket, ...rest] = pathname.split('/')
    const key = decodeURIComponent(rest.join('/'))
    const refusal = this.#check(req, body)
    if (refusal) return this.error(403, refusal)
    if (bucket !== 'bucket') return this.error(404, 'NoSuchBucket')
    if (key === '') return this.#list(searchParams)
    const object = this.objects.get(key)
    if (method === 'PUT') this.objects.set(key, body)
    if (method === 'DELETE') this.objects.delete(key)
    if (method === 'GET') return object ? { status: 200, body: object } : this.error(404, 'NoSuchKey')
    return { status: method === 'DELETE' ? 204 : 200 }
  }

  error(status: number, code: string, more = ''): Response {
    const date = this.now && { date: this.now.toUTCString() }
    return {
      status,
      headers: { ...date },
      body: `<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`,
    }
  }

  /** @returns the code of the refusal */
  #check({ method, url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
    const { accessKeyId, secretAccessKey } = this.credentials
    const pattern =
      /^AWS4-HMAC-SHA256 Credential=(.+?)\/(\d+)\/(.+?)\/s3\/aws4_request, SignedHeaders=(.+?), Signature=(\w+)$/
    const [, id, day = '', region = '', signed = '', signature] =
      pattern.exec(headers.authorization ?? '') ?? []
    if (id !== accessKeyId) return 'InvalidAccessKeyId'
    if (region !== this.region) return 'AuthorizationHeaderMalformed'
    const time = String(headers['x-amz-date'])
    const at = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
    if (this.now && Math.abs(at - this.now.getTime()) > 15 * 60_000) return 'RequestTimeTooSkewed'
    const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
    const [path = '', query = ''] = url.split('?')
    const lines = signed.split(';').map((name) => `${name}:${headers[name]}\n`)
    const content = String(headers['x-amz-content-sha256'])
    const canonical = [method, path, query.split('&').sort().join('&'), lines.join(''), signed, content]
    const text = ['AWS4-HMAC-SHA256', time, `${day}/${region}/s3/aws4_request`, hash(canonical.join('\n'))]
    const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
    if (hmac(key, text.join('\n')).toString('hex') !== signature) return 'SignatureDoesNotMatch'
    return content === hash(body) ? undefined : 'XAmzContentSHA256Mismatch'
  }

  #list(query: URLSearchParams): Response {
    const prefix = query.get('prefix') ?? ''
    const delimiter = query.get('delimiter')
    const found = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort()
    const rows = found.map((key) => {
      const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1
      return end < 0
        ? `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.length}</Size></Contents>`
        : `<CommonPrefixes><Prefix>${key.slice(0, end + 1)}</Prefix></CommonPrefixes>`
    })
    const all = [...new Set(rows)]
    const start = Number(query.get('continuation-token') ?? 0)
    const end = start + this.pageSize
    const isTruncated = all.length > end
    const next = isTruncated ? `<NextContinuationToken>${end}</NextContinuationToken>` : ''
    return {
      status: 200,
      body: `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isTruncated}</IsTruncated>${next}${all.slice(start, end).join('')}</ListBucketResult>`,
    }
  }
}
