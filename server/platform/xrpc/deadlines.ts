/** Time limits of requests whose body is arriving. Node's own limit is the same for all, and a large upload needs more time. */
import type { IncomingMessage } from 'node:http'

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Calls `expire` unless the body has arrived within `ms`, or within `ms` of the last extension. */
export function startDeadline(req: IncomingMessage, ms: number, expire: () => void): void {
  const { headers } = req
  if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'])) return
  const timer = setTimeout(expire, ms)
  timers.set(req, timer)
  req.once('close', () => clearTimeout(timer))
}

/** Starts the time of a request anew. For readers of large bodies, while bytes arrive. */
export function extendDeadline(req: IncomingMessage): void {
  timers.get(req)?.refresh()
}
