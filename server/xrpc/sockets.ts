/**
 * WebSockets: accepting them, noticing that a peer is gone, closing. The only file that imports ws, and not before somebody
 * connects: few do, and it takes 19 ms and 11 MB.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WebSocket, WebSocketServer } from 'ws'
import { protocolError } from './errors.ts'
import { release, upgradeOf } from './upgrade.ts'

/** Close codes of RFC 6455 §7.4.1. */
export const closeCodes = { goingAway: 1001, policy: 1008, internalError: 1011 } as const

export interface Socket {
  /** Bytes that wait for the client to read on. */
  readonly bufferedBytes: number
  send(bytes: Uint8Array): void
  /** Sends what waits, then closes; cuts the connection when the client does not answer in time. */
  close(code: number, reason: string): void
  /** Resolves when it is closed, by whomever. */
  readonly closed: Promise<void>
}

export interface Sockets {
  /**
   * Accepts the request to go on by WebSocket.
   * @throws XrpcError `InvalidRequest` when it is none or a bad one, `NotEnoughResources` when the server closes
   */
  accept(req: IncomingMessage, res: ServerResponse): Promise<Socket>
  /** Closes all, and waits for that. */
  close(): Promise<void>
}

/** The subprotocol that a client offers beside its token, so that there is one to choose. */
const subprotocol = 'xrpc'
const limits = {
  /** Clients have nothing to say. In bytes. */
  maxPayload: 1024,
  /** How many milliseconds a client may take to answer a close, and to read what was sent before it. */
  closeTimeout: 5000,
}
/** A peer that does not answer a ping within one period is gone. */
const usualHeartbeatMs = 30_000

export function createSockets({ heartbeatMs = usualHeartbeatMs } = {}): Sockets {
  let server: WebSocketServer | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let isClosing = false
  /** Those who have not been heard of since the last ping. */
  const silent = new Set<WebSocket>()

  async function open(): Promise<WebSocketServer> {
    const ws = await import('ws')
    if (isClosing) throw protocolError('NotEnoughResources', 'The server is closing')
    heartbeat ??= setInterval(beat, heartbeatMs).unref()
    server ??= new ws.WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      ...limits,
      // Never the one that is a token: the answer may be logged.
      handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
    })
    return server
  }

  function beat(): void {
    for (const socket of silent) socket.terminate()
    for (const socket of server?.clients ?? []) {
      silent.add(socket)
      socket.ping()
    }
  }

  function tend(socket: WebSocket): Socket {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    socket.on('pong', () => silent.delete(socket))
    // A message that is too large, say; the library closes the connection with the code for it.
    socket.on('error', () => {})
    socket.on('close', () => {
      silent.delete(socket)
      resolve()
    })
    return {
      closed,
      get bufferedBytes() {
        return socket.bufferedAmount
      },
      send: (bytes) => socket.send(bytes),
      close: (code, reason) => socket.close(code, reason),
    }
  }

  return {
    async accept(req, res) {
      const server = await open()
      const upgrade = upgradeOf(req)
      if (!upgrade) throw protocolError('InvalidRequest', 'The request does not ask for a WebSocket')
      let socket: WebSocket | undefined
      let fault: Error | undefined
      const onFault = (error: Error) => {
        fault = error
      }
      server.once('wsClientError', onFault)
      server.handleUpgrade(req, upgrade.socket, upgrade.head, (accepted) => {
        socket = accepted
      })
      server.off('wsClientError', onFault)
      if (!socket) throw protocolError('InvalidRequest', fault?.message)
      release(req, res)
      return tend(socket)
    },

    async close() {
      isClosing = true
      clearInterval(heartbeat)
      const clients = [...(server?.clients ?? [])]
      const closed = clients.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const socket of clients) socket.close(closeCodes.goingAway, 'The server is closing')
      await Promise.all(closed)
    },
  }
}
