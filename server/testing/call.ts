/** Calls of the network for tests to its servers, over HTTP. */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { headersOfNetwork, networkHeader } from '../platform/network/names.ts'
import { NetworkCallFailed } from './errors.ts'

export interface CallOptions {
  /** JSON body. */
  readonly input?: unknown
  /** Body of another type. */
  readonly bytes?: Uint8Array
  /** Content type of `bytes`. */
  readonly type?: string
  readonly query?: Readonly<Record<string, string>>
  /** Access or refresh token. */
  readonly token?: string
  /** Password of the administrator, in the place of a token. */
  readonly adminPassword?: string
  /** User-Agent. */
  readonly client?: string
  /** POST if there is a body, otherwise GET by default. */
  readonly method?: 'GET' | 'POST'
}

/** Calls a method and returns its output. @param url of the server, without a trailing slash @throws NetworkCallFailed */
// biome-ignore lint/suspicious/noExplicitAny: each method has its own output
export async function call(url: string, nsid: string, options: CallOptions = {}): Promise<any> {
  const { input, bytes, type = 'application/json', query, client } = options
  const body = bytes ?? (input === undefined ? undefined : JSON.stringify(input))
  const authorization = authorizationOf(options)
  const target = query ? `${nsid}?${new URLSearchParams(query)}` : nsid
  const headers = {
    ...(body !== undefined && { 'content-type': type }),
    ...(authorization !== undefined && { authorization }),
    ...(client !== undefined && { 'user-agent': client }),
  }
  const method = options.method ?? (body === undefined ? 'GET' : 'POST')
  const answer = await send(`${url}/xrpc/${target}`, method, headers, body).catch((cause: unknown) => {
    throw notReachable(url, nsid, cause)
  })
  const output = answer.body === '' ? {} : JSON.parse(answer.body)
  if (answer.status >= 400) throw new NetworkCallFailed(nsid, answer.status, output)
  return output
}

/** A restore can take longer than a connection is kept open: the next call would use one that ends. */
const agent = new Agent({ keepAlive: false })

interface Answer {
  readonly status: number
  /** Address to which the server redirects. */
  readonly location: string | undefined
  readonly body: string
}

/** Sends a request. Not by `fetch`: tests replace it, and Node.js sends its requests to a proxy that the environment names. */
function send(
  url: string,
  method: 'GET' | 'POST',
  headers: Readonly<Record<string, string>> = {},
  body?: string | Uint8Array,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const all = { [networkHeader]: 'own', ...headersOfNetwork(), 'user-agent': 'node', ...headers }
  const sent = request(url, { agent, method, headers: all }, (response) => {
    const { statusCode: status = 0, headers } = response
    text(response).then((body) => resolve({ status, location: headers.location, body }), reject)
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

/** Makes a call, and again with the mailed code if it needs one. */
export async function withMailedCode<Output>(
  make: (factor: { readonly authFactorToken?: string }) => Promise<Output>,
  code: () => Promise<string>,
): Promise<Output> {
  try {
    return await make({})
  } catch (error) {
    if (!(error instanceof NetworkCallFailed && error.error === 'AuthFactorTokenRequired')) throw error
    return make({ authFactorToken: await code() })
  }
}

function authorizationOf({ token, adminPassword }: CallOptions): string | undefined {
  if (token !== undefined) return `Bearer ${token}`
  if (adminPassword === undefined) return undefined
  return `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`
}

/** Opens a URL and returns the address to which the server redirects; undefined if it does not. */
export async function redirectOf(url: string): Promise<string | undefined> {
  const { location } = await send(url, 'GET').catch((error: unknown) => {
    const { origin, pathname } = new URL(url)
    throw notReachable(origin, pathname, error)
  })
  return location
}

function notReachable(url: string, called: string, cause: unknown): NetworkCallFailed {
  const message = `${url} does not answer. It may have been killed.`
  return Object.assign(new NetworkCallFailed(called, 502, { error: 'ServerNotReachable', message }), {
    cause,
  })
}
