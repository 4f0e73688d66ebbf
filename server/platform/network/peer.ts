/** XRPC calls to another personal data server, with streamed bodies. Limited in time and size; redirects are not followed. */
import { isObject, isString, parseJson } from '../../util/json.ts'
import { XrpcError } from '../xrpc/xrpc-errors.ts'
import {
  type Client,
  type ClientOptions,
  collect,
  createClient,
  OutboundFailed,
  type OutboundRequest,
  type OutboundResponse,
} from './client.ts'

export interface PeerCall extends Pick<OutboundRequest, 'signal' | 'timeoutMs'> {
  /** Parameters, as in a query string. */
  readonly query?: string | undefined
  /** Access, refresh or service token. */
  readonly token?: string | undefined
}

/** A body that is streamed. */
export interface Transfer {
  /** Media type. */
  readonly encoding: string
  /** In bytes, if known. */
  readonly length: number | undefined
  readonly body: AsyncIterable<Uint8Array>
}

/** Methods have our names. Errors: XrpcError as the server answered, OutboundRefused, OutboundFailed. */
export interface Peer {
  /** Calls a query. Resolves with its JSON object. */
  get(nsid: string, call: PeerCall): Promise<Record<string, unknown>>
  /** Calls a procedure. @param input sent as JSON; nothing is sent when it is undefined */
  post(nsid: string, input: unknown, call: PeerCall): Promise<Record<string, unknown>>
  /** Calls a query whose output is not JSON. @param maxBytes more bytes are an error */
  download(nsid: string, maxBytes: number, call: PeerCall): Promise<Transfer>
  /** Calls a procedure whose input is not JSON. */
  upload(nsid: string, transfer: Transfer, call: PeerCall): Promise<Record<string, unknown>>
}

export interface Peers {
  at(origin: string): Peer
}

/** Bytes of a stream that count as a part: a slower server would hold a connection forever. */
const partBytes = 16_384
/** Milliseconds that a server may take to process an upload. */
const processingMs = 15 * 60_000
/** Limit of a JSON response in bytes. */
const maxJsonBytes = 2_000_000

export interface PeerOptions extends Pick<ClientOptions, 'allowPrivate' | 'findAddresses' | 'signal'> {
  /** Maps our names of methods to the network's. */
  readonly networkName: (nsid: string) => string
  /** Milliseconds in which a server must answer a call, or send or take a part of a stream; 30 s by default. */
  readonly idleMs?: number
}

export function createPeers({ networkName, ...options }: PeerOptions): Peers {
  const client = createClient({
    idleMs: 30_000,
    idleBytes: partBytes,
    processingMs,
    timeoutMs: Number.POSITIVE_INFINITY,
    ...options,
  })
  return { at: (origin) => createPeer(client, origin, networkName) }
}

function createPeer(client: Client, origin: string, networkName: PeerOptions['networkName']): Peer {
  const { host } = new URL(origin)

  /** @param maxBytes limit of a successful response */
  async function call(
    nsid: string,
    { query, token, ...limits }: PeerCall,
    { headers, ...request }: OutboundRequest = {},
    maxBytes = maxJsonBytes,
  ): Promise<OutboundResponse<AsyncIterable<Buffer>>> {
    const response = await client.open(`${origin}/xrpc/${networkName(nsid)}${query ? `?${query}` : ''}`, {
      ...limits,
      ...request,
      headers: {
        accept: '*/*',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      maxBytes: (status) => (status === 200 ? maxBytes : maxJsonBytes),
    })
    if (response.status === 200) return response
    throw errorOf(host, response.status, parseJson(await collect(response.body)))
  }

  async function json(...args: Parameters<typeof call>): Promise<Record<string, unknown>> {
    const bytes = await collect((await call(...args)).body)
    const value = bytes.length === 0 ? {} : parseJson(bytes)
    if (!isObject(value)) throw new OutboundFailed(`${host}: the response is not JSON`)
    return value
  }

  return {
    get: (nsid, options) => json(nsid, options),
    post: (nsid, input, options) => json(nsid, options, { method: 'POST', ...jsonBody(input) }),
    async download(nsid, maxBytes, options) {
      const { headers, body } = await call(nsid, options, {}, maxBytes)
      const length = headers['content-length']
      return {
        encoding: /^[\w.+/-]+/.exec(headers['content-type'] ?? '')?.[0] ?? 'application/octet-stream',
        length: length === undefined ? undefined : Number(length),
        body,
      }
    },
    upload(nsid, { encoding, length, body }, options) {
      const headers = { 'content-type': encoding, ...(length !== undefined && { 'content-length': length }) }
      return json(nsid, options, { method: 'POST', headers, body })
    },
  }
}

function jsonBody(input: unknown): OutboundRequest {
  if (input === undefined) return {}
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }
}

/** Longest text of another server that is kept. */
const maxMessage = 300

/** An error response, with the host in its message. Errors without a name come from a proxy before the server. */
function errorOf(host: string, status: number, body: unknown): Error {
  const name = isObject(body) && isString(body.error) ? body.error : ''
  if (status < 400 || !/^[A-Za-z]\w{0,63}$/.test(name)) {
    return new OutboundFailed(`${host}: the server answered ${status}`)
  }
  const message = isObject(body) && isString(body.message) ? body.message.slice(0, maxMessage) : name
  return new XrpcError(name, `${host}: ${message}`, { status })
}
