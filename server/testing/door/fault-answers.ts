/** The answers of a door to calls that a fault concerns. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { allowAnyOrigin } from '../../platform/xrpc/cors.ts'
import { pause } from '../../util/deadlines.ts'
import type { FaultOptions } from './faults.ts'

/** Waits, answers or cuts the connection. @returns whether the call needs no server: it was answered, or cut off */
export async function answerFault(
  fault: FaultOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<boolean> {
  const { latencyMs, drop, error, status = error === undefined ? undefined : 400 } = fault
  if (latencyMs !== undefined) await delay(latencyMs, res)
  if (drop === 'before') {
    req.socket.destroy()
    return true
  }
  if (drop === 'after') cutAnswer(res)
  if (status === undefined) return false
  // The connection can be used again only after the whole request has been read.
  req.resume()
  if (fault.retryAfter !== undefined) res.setHeader('retry-after', fault.retryAfter)
  const { message = 'A fault of this network for tests' } = fault
  allowAnyOrigin(res)
  res.statusCode = status
  res.setHeader('content-type', 'application/json; charset=utf-8')
  res.end(JSON.stringify({ error: error ?? names[status] ?? 'InternalServerError', message }))
  return true
}

/** Resolves after `ms`, or when the connection ends: a timer of minutes would keep the process and the server of an earlier run. */
async function delay(ms: number, res: ServerResponse): Promise<void> {
  const closed = new AbortController()
  const close = () => closed.abort()
  res.once('close', close)
  await pause(ms, { signal: closed.signal }).catch(() => {})
  res.off('close', close)
}

/** Error names of XRPC by status. */
const names: Readonly<Record<number, string>> = {
  400: 'InvalidRequest',
  401: 'AuthenticationRequired',
  403: 'Forbidden',
  404: 'NotFound',
  413: 'PayloadTooLarge',
  429: 'RateLimitExceeded',
  501: 'MethodNotImplemented',
  502: 'UpstreamFailure',
  503: 'NotEnoughResources',
  504: 'UpstreamTimeout',
}

/** Lets the call happen, and cuts the connection when its answer would be sent. */
function cutAnswer(res: ServerResponse): void {
  res.writeHead = () => {
    res.req.socket.destroy()
    return res
  }
}
