/** Stands before a server, and changes its answers and the messages of its event stream. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { decodeAll, encode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import WebSocket, { WebSocketServer } from 'ws'

export interface Request {
  readonly method: string
  /** Path, without the query. */
  readonly path: string
  /** Without the namespace, such as `repo.getRecord`; empty for other paths. */
  readonly name: string
  /** May be changed. */
  readonly query: URLSearchParams
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own input
  json: any
  readonly headers: IncomingHttpHeaders
}

export interface Response {
  status: number
  readonly headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export interface EventMessage {
  header: { op: number; t?: string }
  // biome-ignore lint/suspicious/noExplicitAny: each type has its own members
  body: any
}

export interface Fault {
  readonly name: string
  /** Changes a request. @returns true to answer 200 with `{}` in the place of the server */
  onRequest?(request: Request): boolean | undefined | void
  /** Changes an answer. */
  onResponse?(response: Response, request: Request): void | Promise<void>
  /** Changes the query of a connection to the event stream. */
  onConnect?(query: URLSearchParams): void
  /** Changes a message; returns those that are sent in its place. */
  onMessage?(message: EventMessage, index: number, query: URLSearchParams): Promise<void> | void
  /** Sent first on each connection with a cursor. */
  readonly first?: EventMessage
  /** Whether connections to the event stream are refused. */
  readonly refuses?: boolean
}

export class FaultProxy {
  readonly #server = createServer((req, res) => void this.#answer(req, res).catch(() => res.destroy()))
  readonly #streams = new WebSocketServer({ noServer: true })
  /** URL of the server. */
  target = ''
  /** URL of the directory. */
  directory = ''
  fault: Fault = { name: 'none' }

  static async start(): Promise<FaultProxy> {
    const proxy = new FaultProxy()
    proxy.#server.on('upgrade', (req, socket, head) => {
      const { fault } = proxy
      const refuse = () => socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n')
      if (fault.refuses) return void refuse()
      const url = new URL(req.url ?? '', proxy.target.replace('http', 'ws'))
      const query = new URLSearchParams(url.search)
      fault.onConnect?.(url.searchParams)
      const source = new WebSocket(url)
      source.pause()
      source.once('error', refuse)
      // The client may write as soon as it is connected.
      source.once('open', () =>
        proxy.#streams.handleUpgrade(req, socket, head, (client) => forward(source, client, fault, query)),
      )
    })
    proxy.#server.listen(0, 'localhost')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { fault } = this
    const isOfDirectory = /^\/did(?::|%3A)/i.test(req.url ?? '')
    const url = new URL(req.url ?? '', isOfDirectory ? this.directory : this.target)
    const sent = await buffer(req)
    const isJson = req.headers['content-type'] === 'application/json'
    const asked: Request = {
      ...{ method: req.method ?? '', path: url.pathname, headers: req.headers, query: url.searchParams },
      name: /^\/xrpc\/com\.atproto\.(\w+\.\w+)$/.exec(url.pathname)?.[1] ?? '',
      json: isJson ? parsed(sent) : undefined,
    }
    if (fault.onRequest?.(asked) === true) {
      res.setHeader('content-type', 'application/json')
      return void res.end('{}')
    }
    const body = asked.json === undefined ? sent : Buffer.from(JSON.stringify(asked.json))
    const response = await this.#send(req, url, body)
    this.#showOwnUrl(response)
    await fault.onResponse?.(response, asked)
    res
      .writeHead(response.status, { ...response.headers, 'content-length': response.body.length })
      .end(response.body)
  }

  /** The directory names the server behind. */
  #showOwnUrl(response: Response): void {
    if (String(response.headers['content-type']).includes('json'))
      response.body = Buffer.from(response.body.toString().replaceAll(this.target, this.url))
  }

  async #send({ method, headers }: IncomingMessage, url: URL, body: Buffer): Promise<Response> {
    const { 'transfer-encoding': _, ...others } = headers
    const own = body.length > 0 ? { 'content-length': body.length } : {}
    const forwarded = request(url, { method, headers: { ...others, ...own, 'accept-encoding': 'identity' } })
    forwarded.end(body)
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage]
    const { 'transfer-encoding': __, ...rest } = answer.headers
    return { status: answer.statusCode ?? 502, headers: rest, body: await buffer(answer) }
  }
}

function forward(source: WebSocket, client: WebSocket, fault: Fault, query: URLSearchParams): void {
  if (fault.first && query.has('cursor')) client.send(encoded(fault.first))
  let index = 0
  let sending = Promise.resolve()
  source.on('message', (data: Buffer) => {
    const [header, body] = [...decodeAll(data)] as unknown as [EventMessage['header'], object]
    const message = { header, body }
    const at = index++
    sending = sending.then(async () => {
      await fault.onMessage?.(message, at, query)
      client.send(fault.onMessage ? encoded(message) : data)
    })
  })
  source.on('close', (code) => void sending.then(() => client.close(code === 1006 ? 1000 : code)))
  client.on('close', () => source.terminate())
  for (const socket of [source, client]) socket.on('error', () => {})
  source.resume()
}

function encoded({ header, body }: EventMessage): Buffer {
  return Buffer.concat([encode(header as LexMap), encode(body as LexMap)])
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
