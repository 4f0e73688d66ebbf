/** Calls of the network for tests to its servers, over HTTP. */

/** Marks the calls of the network itself: they have no faults, and are not among its requests. */
export const ownCallHeader = 'x-network-for-tests'

/** A server of the network has refused a call. */
export class NetworkCallFailed extends Error {
  override readonly name = 'NetworkCallFailed'
  readonly status: number
  readonly error: string

  constructor(
    nsid: string,
    status: number,
    { error = '', message = '' }: { error?: string; message?: string },
  ) {
    super(`${nsid}: ${message || error} (${status} ${error})`)
    this.status = status
    this.error = error
  }
}

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
  const body = bytes ? Uint8Array.from(bytes) : input === undefined ? undefined : JSON.stringify(input)
  const authorization = authorizationOf(options)
  const target = query ? `${nsid}?${new URLSearchParams(query)}` : nsid
  const response = await fetch(`${url}/xrpc/${target}`, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      [ownCallHeader]: 'own',
      // A restore can take longer than a connection is kept open: the next call would use one that ends.
      connection: 'close',
      ...(body !== undefined && { 'content-type': type }),
      ...(authorization !== undefined && { authorization }),
      ...(client !== undefined && { 'user-agent': client }),
    },
    ...(body !== undefined && { body }),
  }).catch((error: unknown) => {
    const message = `${url} does not answer. It may have been killed.`
    throw Object.assign(new NetworkCallFailed(nsid, 502, { error: 'ServerNotReachable', message }), {
      cause: error,
    })
  })
  const text = await response.text()
  const output = text === '' ? {} : JSON.parse(text)
  if (!response.ok) throw new NetworkCallFailed(nsid, response.status, output)
  return output
}

function authorizationOf({ token, adminPassword }: CallOptions): string | undefined {
  if (token !== undefined) return `Bearer ${token}`
  if (adminPassword === undefined) return undefined
  return `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`
}

/** Opens a URL and returns the address to which the server redirects; undefined if it does not. */
export async function redirectOf(url: string): Promise<string | undefined> {
  const { headers } = await fetch(url, { redirect: 'manual', headers: { [ownCallHeader]: 'own' } })
  return headers.get('location') ?? undefined
}
