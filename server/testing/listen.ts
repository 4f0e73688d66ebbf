/** The listeners of a network for tests. */
import { type App, defaultTimeouts, type Listener, listen } from '../platform/xrpc/listen.ts'

/** Clients end idle connections. In a process that was busy for seconds, one would use a connection that the server ends (ECONNRESET). */
const timeouts = { ...defaultTimeouts, keepAliveMs: 0 }

/** Listens on this computer alone. @param port 0 for any free one @throws the system's error if it is in use */
export function listenHere(app: App, port: number): Promise<Listener> {
  return listen(app, ['127.0.0.1', '::1'], port, timeouts)
}
