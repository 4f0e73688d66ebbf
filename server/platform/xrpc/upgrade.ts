/**
 * Upgrades to WebSocket (RFC 6455 §4.1). They pass the Host check, the router and the error handling like every other request,
 * so each gets a response object; accepting the upgrade takes the connection over from it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

// As in `listen.ts`: an import would evaluate every export of node:http.
const { ServerResponse: Response } = process.getBuiltinModule('node:http')

interface Upgrade {
  readonly socket: Duplex
  /** Bytes that the client sent after its request. */
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

/** Creates the response of an upgrade request, which Node has detached from its server. The connection ends with it. */
export function responseTo(req: IncomingMessage, socket: Duplex, head: Buffer): ServerResponse {
  const res = new Response(req)
  res.shouldKeepAlive = false
  res.assignSocket(req.socket)
  // Node no longer handles errors and timeouts of the socket.
  socket.on('error', () => socket.destroy())
  socket.on('timeout', () => socket.destroy())
  res.once('finish', () => {
    release(req, res)
    req.socket.destroySoon()
  })
  upgrades.set(req, { socket, head })
  return res
}

/** Returns the upgrade of a request; undefined for an ordinary request and for a disconnected client. */
export function upgradeOf(req: IncomingMessage): Upgrade | undefined {
  const upgrade = upgrades.get(req)
  return upgrade?.socket.readable && upgrade.socket.writable ? upgrade : undefined
}

/** Ends the response without sending it; the connection stays open. */
export function release(req: IncomingMessage, res: ServerResponse): void {
  res.detachSocket(req.socket)
  res.emit('close')
}
