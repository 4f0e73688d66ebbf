/**
 * Requests to go on by WebSocket (RFC 6455 §4.1). They take the way of every other request: through the Host check, the router
 * and the answers to faults. So they are given a response like any other, and whoever accepts one takes the connection over.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

// As in `listen.ts`: an import would evaluate all that node:http exports.
const { ServerResponse: Response } = process.getBuiltinModule('node:http')

interface Upgrade {
  readonly socket: Duplex
  /** What the client has sent after its request. */
  readonly head: Buffer
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    /^[\w+/]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  )
}

/** The response of a request that Node has given up the connection of. The connection ends with it. */
export function responseTo(req: IncomingMessage, socket: Duplex, head: Buffer): ServerResponse {
  const res = new Response(req)
  res.shouldKeepAlive = false
  res.assignSocket(req.socket)
  // Node has let go of the socket: nobody else looks after it.
  socket.on('error', () => socket.destroy())
  socket.on('timeout', () => socket.destroy())
  res.once('finish', () => {
    release(req, res)
    req.socket.destroySoon()
  })
  upgrades.set(req, { socket, head })
  return res
}

/** Undefined when the request is an ordinary one, or its client has gone. */
export function upgradeOf(req: IncomingMessage): Upgrade | undefined {
  const upgrade = upgrades.get(req)
  return upgrade?.socket.readable && upgrade.socket.writable ? upgrade : undefined
}

/** Ends the response without an answer; the connection stays. */
export function release(req: IncomingMessage, res: ServerResponse): void {
  res.detachSocket(req.socket)
  res.emit('close')
}
