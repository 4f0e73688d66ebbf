/**
 * Requests to other servers over kept connections, with streamed bodies. Connections are made as `guard.ts` permits; redirects
 * are not followed.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { checkedLookup, checkUrl } from './guard.ts'
import type { FindAddresses } from './names.ts'

export interface ClientRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: OutgoingHttpHeaders
  readonly body: Readable | undefined
  /** Aborts the request, and the response while it is read. */
  readonly signal: AbortSignal
}

export interface HttpClient {
  /**
   * Sends a request. Resolves when the headers of the response have arrived.
   * @throws OutboundRefused, the error of the body, or the system's error
   */
  request(target: string, request: ClientRequest): Promise<IncomingMessage>
  /** Closes all connections. */
  close(): void
}

const pool = {
  keepAlive: true,
  /** Connections per server. */
  maxSockets: 64,
  maxFreeSockets: 16,
  /** Milliseconds after which an unused connection is closed. */
  timeout: 30_000,
}

/**
 * @param allowPrivate allows plain http, and addresses of this machine and its network
 * @param findAddresses the look-up of hosts; by default, `allowPrivate` means that the owner named them
 */
export function createHttpClient(allowPrivate: boolean, findAddresses?: FindAddresses): HttpClient {
  // An import would evaluate every export of node:http, including Node's fetch (50 ms and 13 MB).
  const http = process.getBuiltinModule('node:http')
  const agents = { http: new http.Agent(pool), https: new https.Agent(pool) }

  function send(url: URL, { body, ...options }: ClientRequest): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const isTls = url.protocol === 'https:'
    const agent = isTls ? agents.https : agents.http
    const lookup = checkedLookup(allowPrivate, options.signal, findAddresses)
    const request = (isTls ? https : http).request(url, { ...options, agent, lookup })
    request.on('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
      // The server closed the kept connection while the request was under way. Without a body it can be repeated.
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !body
      if (isStale && !options.signal.aborted) send(url, { body, ...options }).then(resolve, reject)
      else reject(error)
    })
    if (body) pipeline(body, request, (error) => error && reject(error))
    else request.end()
    return promise
  }

  return {
    request: async (target, request) => send(checkUrl(target, allowPrivate), request),
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}
