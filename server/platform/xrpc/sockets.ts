/**
 * WebSockets of clients: accepts them, detects dead peers, closes them. Imports ws with the first connection: it takes 19 ms and
 * 11 MB.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WebSocket, WebSocketServer } from 'ws'
import { clearDeadline, clearHeartbeat, setDeadline, setHeartbeat } from '../../util/deadlines.ts'
import type { Timer } from '../../util/timers.ts'
import { release, upgradeOf } from './upgrade.ts'
import { protocolError } from './xrpc-errors.ts'

/** Close codes of RFC 6455 §7.4.1. */
export const closeCodes = { normal: 1000, goingAway: 1001, policy: 1008, internalError: 1011 } as const

export interface Socket {
  /** The chosen subprotocol; empty if there is none. */
  readonly subprotocol: string
  /** Bytes that the client has not read yet. */
  readonly bufferedBytes: number
  /** Resolves when the system has taken the message, or the connection has ended. A text is sent as a text message. */
  send(message: Uint8Array | string): Promise<void>
  /** Calls a function with each text message of the client. */
  onText(receive: (text: string) => void): void
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

export interface SocketsOptions {
  /** Of those that a client offers, in its order, the first one is chosen; none by default. */
  readonly subprotocols?: readonly string[]
  /** Bytes that a message of a client may have; few by default, because most send nothing. */
  readonly maxPayload?: number
  /** Milliseconds between pings. A peer that does not answer one within this time is dead. */
  readonly heartbeatMs?: number | undefined
}

/** Milliseconds for a client to read buffered messages and answer a close. */
const closeTimeout = 5000
const defaults = { maxPayload: 1024, heartbeatMs: 30_000 }

export function createSockets(options: SocketsOptions = {}): Sockets {
  const { subprotocols = [], maxPayload = defaults.maxPayload } = options
  const { heartbeatMs = defaults.heartbeatMs } = options
  let server: WebSocketServer | undefined
  let heartbeat: Timer | undefined
  let isClosing = false
  /** Peers that have not answered the last ping. */
  const unanswered = new Set<WebSocket>()

  async function open(): Promise<WebSocketServer> {
    const ws = await import('ws')
    if (isClosing) throw protocolError('NotEnoughResources', 'The server is closing')
    server ??= new ws.WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      ...{ maxPayload, closeTimeout },
      // Never the token: proxies may log the response.
      handleProtocols: (offered) => [...offered].find((name) => subprotocols.includes(name)) ?? false,
    })
    const { clients } = server
    heartbeat ??= setHeartbeat(() => ping(clients, unanswered), heartbeatMs).unref()
    return server
  }

  return {
    async accept(req, res) {
      const socket = upgrade(await open(), req)
      release(req, res)
      return wrap(socket, unanswered)
    },

    async close(graceMs = closeTimeout) {
      isClosing = true
      clearHeartbeat(heartbeat)
      const clients = [...(server?.clients ?? [])]
      const closed = clients.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const socket of clients) socket.close(closeCodes.goingAway, 'The server is closing')
      const cut = setDeadline(() => {
        for (const socket of clients) socket.terminate()
      }, graceMs)
      await Promise.all(closed)
      clearDeadline(cut)
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
    subprotocol: socket.protocol,
    get bufferedBytes() {
      return socket.bufferedAmount
    },
    send: (message) => new Promise((resolve) => socket.send(message, () => resolve())),
    onText: (receive) =>
      void socket.on('message', (data: Buffer, isBinary) => {
        if (!isBinary) receive(data.toString())
      }),
    close: (code, reason) => socket.close(code, reason),
  }
}
