/** Sends the calls of the access tests. Connections are kept and answers read without the cost of `fetch`: there are thousands. */
import { Agent, request } from 'node:http'
import { listen } from '../server/listener.ts'
import { badCode, type Call, isSubscription, type Method } from './model.ts'

/** Time limit of hooks that make all calls: a busy computer takes minutes. */
export const hookMs = 10 * 60_000
const atOnce = 8
const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

export type Headers = Readonly<Record<string, string>>

/**
 * Sends a call.
 * @param base URL of the listener
 * @returns `success`, or the error name, with its message if the name is ambiguous
 */
export async function send(
  base: string,
  method: Method,
  { params, input }: Call,
  headers: Headers,
): Promise<string> {
  const query = params ? `?${new URLSearchParams(params)}` : ''
  const path = `/xrpc/${method.nsid}${query}`
  if (isSubscription(method)) return connect(base + path, headers)
  const body = input === undefined ? '' : JSON.stringify(input)
  const verb = method.schema.type === 'query' ? 'GET' : 'POST'
  const type = input === undefined ? {} : { 'content-type': 'application/json' }
  const length = verb === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}
  const { status, text } = await exchange(base + path, verb, { ...type, ...length, ...headers }, body)
  return status === 200 ? 'success' : outcome(JSON.parse(text))
}

/** Does some work for each item, for a few at once. @returns the results in order */
export async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const rest = items.entries()
  const run = async () => {
    for (const [index, item] of rest) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, run))
  return results
}

/** Sends a request, again if the server has closed the kept connection meanwhile. */
function exchange(
  url: string,
  method: string,
  headers: Record<string, string | number>,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent }, (res) => {
      let text = ''
      res.setEncoding('utf8')
      res.on('data', (chunk: string) => {
        text += chunk
      })
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text }))
      res.on('error', reject)
    })
    call.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = call.reusedSocket && error.code === 'ECONNRESET'
      if (isClosed) resolve(exchange(url, method, headers, body))
      else reject(error)
    })
    call.end(body)
  })
}

async function connect(url: string, headers: Headers): Promise<string> {
  const got = await listen(url, { headers })
  if (!('socket' in got)) return outcome(got.body)
  got.close()
  await got.ended()
  return 'success'
}

/** `InvalidToken` is the refusal of credentials, and that of a code in the input. */
function outcome({ error, message }: { error: string; message: string }): string {
  if (error === 'ExpiredToken' || /^Bad token/.test(message)) return `${error}: ${message}`
  return error === 'InvalidToken' && message !== 'Token could not be verified' ? badCode : error
}
