/** A bucket of S3-compatible storage, or a prefix in it. */
import { systemTime } from '../../../util/timers.ts'
import type { PlaceOptions } from './place.ts'
import { type Entry, type Place, PlaceProblem } from './place.ts'
import {
  createRequest,
  type PlaceRequest,
  type PlaceResponse,
  problemOf,
  readObject,
  skip,
} from './requests.ts'
import { sign } from './sigv4.ts'
import { readXml, type Xml } from './xml.ts'

/** Pages of a list, of 1,000 objects each. */
const maxPages = 1000

interface Call<T> extends Pick<PlaceRequest<T>, 'method' | 'read' | 'body'> {
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
}

/** @param address `s3://bucket/prefix?endpoint=URL&region=NAME`; without an endpoint, AWS's of the region */
export function s3Place(address: string, options: PlaceOptions): Place {
  const { bucket, prefix, region, base } = parseS3Address(address)
  const root = base.href.replace(/\/$/, '')
  const { credentials = {}, now = systemTime } = options
  const request = createRequest(options)
  /** Milliseconds by which the clock of the server is ahead of this one. */
  let skewMs = 0

  async function send<T>({ method, key = '', query = {}, body, read }: Call<T>): Promise<PlaceResponse<T>> {
    const { accessKeyId, secretAccessKey } = credentials
    if (!accessKeyId || !secretAccessKey) {
      throw new PlaceProblem('refused', `There is no access key for the bucket ${bucket}. Enter it.`)
    }
    const search = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`)
    const url = new URL(`${root}/${key.split('/').map(encode).join('/')}`)
    url.search = search.join('&')
    for (let isRetry = false; ; isRetry = true) {
      const at = new Date(now().getTime() + skewMs)
      const signer = { region, accessKeyId, secretAccessKey }
      const response = await request(url, {
        method,
        headers: sign(signer, { method, url, body, at }),
        body,
        read,
      })
      if (response.status < 300) return response
      const error = await errorOf(response)
      const serverTime = Date.parse(response.headers.date ?? '')
      if (error.code === 'RequestTimeTooSkewed' && !isRetry && !Number.isNaN(serverTime)) {
        skewMs = serverTime - now().getTime()
      } else if (response.status === 404 && error.code !== 'NoSuchBucket') return response
      else throw problem(response, error)
    }
  }

  /** Lists what begins with a key, up to the next slash if `delimiter` is one. */
  async function* pages(start: string, delimiter: '/' | ''): AsyncGenerator<Xml> {
    let token: string | undefined
    for (let count = 0; count < maxPages; count++) {
      const page: Xml | undefined = (
        await send({
          method: 'GET',
          query: {
            ...{ 'list-type': '2', prefix: start },
            ...(delimiter && { delimiter }),
            ...(token !== undefined && { 'continuation-token': token }),
          },
          read: (body) => readXml(body, ['Contents', 'CommonPrefixes']),
        })
      ).content
      if (page?.root !== 'ListBucketResult') {
        throw new PlaceProblem('invalid', `There is no S3 storage at ${base.host}. Check the address.`)
      }
      yield page
      if (page.texts.get('IsTruncated')?.trim() !== 'true') return
      const next = page.texts.get('NextContinuationToken')
      if (!next || next === token) break
      token = next
    }
    throw new PlaceProblem(
      'unreachable',
      `The list of objects of ${base.host} does not end. It is tried again later.`,
    )
  }

  async function list(folder: string): Promise<Entry[]> {
    const start = prefix + (folder === '' ? '' : `${folder}/`)
    const entries: Entry[] = []
    for await (const { rows } of pages(start, '/')) {
      for (const { name: kind, texts } of rows) {
        const key = texts.get(kind === 'Contents' ? 'Key' : 'Prefix') ?? ''
        const name = key.slice(start.length).replace(/\/$/, '')
        // A key that is the folder itself marks an empty one.
        if (!key.startsWith(start) || name === '') continue
        entries.push({ name, bytes: kind === 'Contents' ? Number(texts.get('Size')) : undefined })
      }
    }
    return entries
  }

  async function size(name: string): Promise<number | undefined> {
    for await (const { rows } of pages(prefix + name, '')) {
      const texts = rows.find((row) => row.texts.get('Key') === prefix + name)?.texts
      if (texts) return Number(texts.get('Size'))
    }
    return undefined
  }

  async function remove(name: string): Promise<void> {
    const keys: string[] = []
    for await (const { rows } of pages(`${prefix}${name}/`, '')) {
      for (const { texts } of rows) keys.push(texts.get('Key') ?? '')
    }
    // From the end, because the last object of a folder may be the one that makes it complete.
    for (const key of [...keys.toReversed(), prefix + name]) await send({ method: 'DELETE', key, read: skip })
  }

  function problem(response: PlaceResponse, { code, region: itsRegion }: S3Error): PlaceProblem {
    const { host } = base
    const { status } = response
    if (status < 400 || /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocation.*)$/.test(code)) {
      const its = itsRegion ?? response.headers['x-amz-bucket-region']
      return new PlaceProblem(
        'invalid',
        its
          ? `The bucket ${bucket} is in the region ${its}. Put region=${its} into the address.`
          : `${host} is not the address of the bucket ${bucket} (${status}). Check endpoint and region.`,
      )
    }
    const [kind, message] = meanings(bucket, host)[code] ?? []
    return kind && message ? new PlaceProblem(kind, message) : problemOf(base, response)
  }

  return {
    list,
    size,
    get: async (name) => (await send({ method: 'GET', key: prefix + name, read: readObject })).content,
    async put(name, body) {
      const response = await send({ method: 'PUT', key: prefix + name, body, read: skip })
      if (response.status !== 200) throw problemOf(base, response)
    },
    remove,
  }
}

/** Returns the parts of an `s3:` address. @throws PlaceProblem `invalid` */
export function parseS3Address(address: string) {
  const url = new URL(address)
  const bucket = decodeURIComponent(url.host)
  const path = decodeURIComponent(url.pathname).replaceAll(/^\/+|\/+$/g, '')
  const region = url.searchParams.get('region') || 'us-east-1'
  const endpoint = url.searchParams.get('endpoint')
  const amazon = `s3.${region}.amazonaws.com`
  // The certificate of AWS covers no bucket with a dot in its name.
  const own = bucket.includes('.') ? `https://${amazon}/${bucket}` : `https://${bucket}.${amazon}`
  const base = URL.parse(endpoint ? `${endpoint.replace(/\/+$/, '')}/${bucket}` : own)
  if (!base || !/^https?:$/.test(base.protocol)) {
    throw new PlaceProblem('invalid', `The endpoint ${endpoint} is no https or http URL.`)
  }
  return { bucket, region, base, prefix: path === '' ? '' : `${path}/` }
}

/** Percent-encodes as the signature requires. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

interface S3Error {
  readonly code: string
  readonly region: string | undefined
}

async function errorOf({ refusal }: PlaceResponse): Promise<S3Error> {
  const texts = await readXml([refusal]).then(
    (xml) => xml.texts,
    () => new Map<string, string>(),
  )
  return { code: texts.get('Code')?.trim() ?? '', region: texts.get('Region')?.trim() }
}

/** What error codes mean, besides those for which the status says enough. */
function meanings(
  bucket: string,
  host: string,
): Readonly<Record<string, readonly ['refused' | 'invalid' | 'unreachable' | 'full', string]>> {
  const full = [
    'full',
    `There is no space left in the bucket ${bucket}. Free space there, or raise its quota.`,
  ] as const
  const refused = [
    'refused',
    `The access key may not use the bucket ${bucket}. It needs permission to list, read, write and delete.`,
  ] as const
  return {
    AccessDenied: refused,
    AllAccessDisabled: refused,
    InvalidAccessKeyId: ['refused', `${host} does not know the access key ID. Enter the key again.`],
    SignatureDoesNotMatch: ['refused', `${host} refuses the secret access key. Enter the key again.`],
    RequestTimeTooSkewed: ['refused', 'The clock of this computer is wrong. Set its date and time.'],
    NoSuchBucket: ['invalid', `There is no bucket ${bucket} at ${host}. Create it, or correct its name.`],
    QuotaExceeded: full,
    StorageQuotaExceeded: full,
    XMinioAdminBucketQuotaExceeded: full,
    XMinioStorageFull: full,
    InsufficientStorage: full,
  }
}
