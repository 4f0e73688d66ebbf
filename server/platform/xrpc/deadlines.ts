/** Time limits of requests whose body is arriving. Node's own limit is the same for all, and a large upload needs more time. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import type { Timer } from '../../util/timers.ts'

interface Deadline {
  /** The last request with a body: earlier ones have arrived. */
  req: IncomingMessage
  readonly timer: Timer
}

/** Deadlines by connection. A timer for each request would cost more. */
const deadlines = new WeakMap<Socket, Deadline>()

/** Calls `expire` unless the body has arrived within `ms`, or within `ms` of the last extension. */
export function startDeadline(req: IncomingMessage, ms: number, expire: () => void): void {
  const { headers, socket } = req
  if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'])) return
  const deadline = deadlines.get(socket)
  if (deadline) {
    deadline.req = req
    deadline.timer.refresh()
    return
  }
  const timer = setDeadline(() => {
    if (!started.req.complete) expire()
  }, ms)
  const started: Deadline = { req, timer }
  deadlines.set(socket, started)
  socket.once('close', () => clearDeadline(timer))
}

/** Starts the time of a request anew. For readers of large bodies, while bytes arrive. */
export function extendDeadline(req: IncomingMessage): void {
  const deadline = deadlines.get(req.socket)
  if (deadline?.req === req) deadline.timer.refresh()
}
