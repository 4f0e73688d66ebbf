/** Calls to any server by the network's names, and what they answered. */

export interface Response {
  readonly status: number
  readonly bytes: Buffer
  /** Parsed JSON; undefined for other bodies. */
  // biome-ignore lint/suspicious/noExplicitAny: scenarios look into responses of every shape
  readonly body: any
}

export interface Call {
  readonly params?: Record<string, string>
  /** Sent as JSON. */
  readonly input?: unknown
  /** Sent as it is; needs a type. */
  readonly body?: Buffer
  readonly type?: string
  /** A token, or a whole Authorization header. */
  readonly auth?: string | undefined
}

/** A failed call. */
export class XrpcFailure extends Error {
  readonly status: number
  readonly error: string

  constructor(nsid: string, { status, body, bytes }: Response) {
    super(`${nsid}: ${status} ${body === undefined ? bytes.subarray(0, 200) : JSON.stringify(body)}`)
    this.status = status
    this.error = body?.error ?? ''
  }
}

/** @throws XrpcFailure unless the status is 2xx */
export async function get(server: string, nsid: string, call: Call = {}): Promise<Response> {
  return succeeded(nsid, await send('GET', server, nsid, call))
}

/** @throws XrpcFailure unless the status is 2xx */
export async function post(server: string, nsid: string, call: Call = {}): Promise<Response> {
  return succeeded(nsid, await send('POST', server, nsid, call))
}

export async function send(
  method: 'GET' | 'POST',
  server: string,
  nsid: string,
  { params, input, body, type, auth }: Call,
): Promise<Response> {
  const headers: Record<string, string> = {}
  if (auth !== undefined) headers.authorization = auth.includes(' ') ? auth : `Bearer ${auth}`
  if (input !== undefined) headers['content-type'] = 'application/json'
  if (type !== undefined) headers['content-type'] = type
  const query = params ? `?${new URLSearchParams(params)}` : ''
  const sent = input === undefined ? body && new Uint8Array(body) : JSON.stringify(input)
  const response = await fetch(`${server}/xrpc/${nsid}${query}`, { method, headers, body: sent ?? null })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && bytes.length > 0
  return { status: response.status, bytes, body: isJson ? JSON.parse(bytes.toString()) : undefined }
}

function succeeded(nsid: string, response: Response): Response {
  if (response.status >= 300) throw new XrpcFailure(nsid, response)
  return response
}

/** The pages of a list. Some servers send a cursor with the last page, too. */
export async function all<T>(
  server: string,
  nsid: string,
  member: string,
  { params = {}, auth }: Pick<Call, 'params' | 'auth'> = {},
): Promise<T[]> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page: Response = await get(server, nsid, { params: { ...params, ...(cursor && { cursor }) }, auth })
    if (page.body[member].length === 0) break
    items.push(...page.body[member])
    cursor = page.body.cursor
  } while (cursor !== undefined)
  return items
}
