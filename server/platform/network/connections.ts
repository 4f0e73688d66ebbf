/** How outgoing connections are made. A simulator, which has no sockets, replaces it. */
import type { Duplex } from 'node:stream'

/** Connects to the host of a URL. The stream emits an error if the host cannot be reached. */
export type Connect = (url: URL) => Duplex

/** Options of requests of node:http and ws. */
export interface ConnectionOptions {
  /** No agent, which would keep connections. */
  readonly agent: undefined
  readonly createConnection: () => Duplex
}

let replaced: Connect | undefined

/** Replaces the connections of this process, of simulations alone. If there is no argument, those of the system are put back. */
export function replaceConnections(connect?: Connect): void {
  replaced = connect
}

/** Returns undefined if connections are those of the system. */
export function connectionOptions(url: URL): ConnectionOptions | undefined {
  const connect = replaced
  return connect && { agent: undefined, createConnection: () => connect(url) }
}
