/**
 * WebSockets of clients: accepts them, detects dead peers, closes them. Imports ws with the first connection: it takes 19 ms and
 * 11 MB.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WebSocket, WebSocketServer } from 'ws'
import { release, upgradeOf } from './upgrade.ts'
import { protocolError } from './xrpc-errors.ts'

/** Close codes of RFC 6455 §7.4.1. */
export const closeCodes = { normal: 1000, goingAway: 1001, policy: 1008, internalError: 1011 } as const

export interface Socket {
  /** Bytes that the client has not read yet. */
  readonly bufferedBytes: number
  /** Resolves when the system has taken the bytes, or the connection has ended. */
  send(bytes: Uint8Array): Promise<void>
  /** Sends buffered messages, then closes; cuts the connection when the client does not answer in time. */
  close(code: number, reason: string): void
  /** Resolves when either side has closed it. */
  readonly closed: Promise<void>
}

export interface Sockets {
  /**
   * Accepts an upgrade to WebSocket.
   * @throws XrpcError `InvalidRequest` when it is missing or malformed, `NotEnoughResources` when the server closes
   */
  accept(req: IncomingMessage, res: ServerResponse): Promise<Socket>
  /** Closes all, and cuts those that do not answer within `graceMs`. Resolves when all are closed. */
  close(graceMs?: number): Promise<void>
}

/** The subprotocol that a client offers besides its token; the server must choose one. */
const subprotocol = 'xrpc'
const limits = {
  /** In bytes; clients send nothing. */
  maxPayload: 1024,
  /** Milliseconds for a client to read buffered messages and answer a close. */
  closeTimeout: 5000,
}
/** A peer that does not answer a ping within one period is dead. */
const defaultHeartbeatMs = 30_000

export function createSockets({ heartbeatMs = defaultHeartbeatMs } = {}): Sockets {
  let server: WebSocketServer | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let isClosing = false
  /** Peers that have not answered the last ping. */
  const unanswered = new Set<WebSocket>()

  async function open(): Promise<WebSocketServer> {
    const ws = await import('ws')
    if (isClosing) throw protocolError('NotEnoughResources', 'The server is closing')
    server ??= new ws.WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      ...limits,
      // Never the token: proxies may log the response.
      handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
    })
    const { clients } = server
    heartbeat ??= setInterval(() => ping(clients, unanswered), heartbeatMs).unref()
    return server
  }

  return {
    async accept(req, res) {
      const socket = upgrade(await open(), req)
      release(req, res)
      return wrap(socket, unanswered)
    },

    async close(graceMs = limits.closeTimeout) {
      isClosing = true
      clearInterval(heartbeat)
      const clients = [...(server?.clients ?? [])]
      const closed = clients.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const socket of clients) socket.close(closeCodes.goingAway, 'The server is closing')
      const cut = setTimeout(() => {
        for (const socket of clients) socket.terminate()
      }, graceMs)
      await Promise.all(closed)
      clearTimeout(cut)
    },
  }
}

/** Cuts the peers that have not answered the last ping, and pings the others. */
function ping(clients: ReadonlySet<WebSocket>, unanswered: Set<WebSocket>): void {
  for (const socket of unanswered) socket.terminate()
  for (const socket of clients) {
    unanswered.add(socket)
    socket.ping()
  }
}

/** Answers the handshake. The library calls back before it returns. */
function upgrade(server: WebSocketServer, req: IncomingMessage): WebSocket {
  const request = upgradeOf(req)
  if (!request) throw protocolError('InvalidRequest', 'The request is not a WebSocket upgrade')
  let socket: WebSocket | undefined
  let fault: Error | undefined
  const onFault = (error: Error) => {
    fault = error
  }
  server.once('wsClientError', onFault)
  server.handleUpgrade(req, request.socket, request.head, (accepted) => {
    socket = accepted
  })
  server.off('wsClientError', onFault)
  if (!socket) throw protocolError('InvalidRequest', fault?.message)
  return socket
}

/** @param unanswered the socket is removed from it when it answers a ping or closes */
function wrap(socket: WebSocket, unanswered: Set<WebSocket>): Socket {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  socket.on('pong', () => unanswered.delete(socket))
  // For example a message that is too large: the library closes the connection with the right code.
  socket.on('error', () => {})
  socket.on('close', () => {
    unanswered.delete(socket)
    resolve()
  })
  return {
    closed,
    get bufferedBytes() {
      return socket.bufferedAmount
    },
    send: (bytes) => new Promise((resolve) => socket.send(bytes, () => resolve())),
    close: (code, reason) => socket.close(code, reason),
  }
}
