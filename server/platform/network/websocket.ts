/**
 * Reads streams of other servers over WebSocket. Connections are made as `guard.ts` permits, redirects are not followed, and a
 * peer that is silent is cut. Imports ws with the first connection: it takes 19 ms and 11 MB.
 */
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import {
  clearDeadline,
  clearHeartbeat,
  realElapsed,
  realTime,
  setDeadline,
  setHeartbeat,
} from '../../util/deadlines.ts'
import { type Timer, yieldToEventLoop } from '../../util/timers.ts'
import { createTokenBucket } from '../../util/token-bucket.ts'
import { pieceMs } from '../../util/turns.ts'
import { connectionOptions } from './connections.ts'
import { checkedLookup, checkUrl } from './guard.ts'
import { headersOfNetwork } from './names.ts'

export interface StreamOptions {
  /** Allows plain ws, and addresses of this machine and its network. */
  readonly allowPrivate: boolean
  onOpen(): void
  onMessage(bytes: Buffer): void
  /** Called once, when the connection has ended or failed; not after `close`. */
  onEnd(end: StreamEnd): void
  /** Milliseconds without a message or an answer to a ping after which the connection is cut; tests use fewer. */
  readonly silenceMs?: number | undefined
  /** Text messages are expected instead of binary ones, and no pings are sent: the pings of the peer show that it lives. */
  readonly isText?: boolean
  /** Bytes of a message; 5 MB by default. */
  readonly maxBytes?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface StreamEnd {
  /** Why, for people. */
  readonly message: string
  /** Whether the peer broke the rules: a text message, one that is too large, many pings, or a violation of the WebSocket protocol. */
  readonly isViolation: boolean
  /** The status of a response that refuses the connection. */
  readonly status?: number | undefined
}

export interface Stream {
  /** Stops reading, so that the peer must wait. No message comes before `resume`. */
  pause(): void
  resume(): void
  /** Sends a text message. */
  send(text: string): void
  /** Cuts the connection. */
  close(): void
}

const limits = {
  /** Bytes of a message. */
  maxPayload: 5_000_000,
  /** Milliseconds that a peer may take to end a connection. */
  closeTimeout: 1000,
  /** Parts of a message: each takes many times its bytes. */
  maxFragments: 4096,
  /** Pieces that a part arrives in. */
  maxBufferedChunks: 65_536,
}
/** Pings of a peer and its answers to pings: servers send one every few seconds. */
const controlFrames = { perSecond: 10, capacity: 1000 }
/** Milliseconds from the look-up of the host to the end of the handshake. */
const handshakeMs = 10_000
const defaultSilenceMs = 60_000

/**
 * Connects to a WebSocket.
 * @param target URL with the scheme http or https
 * @throws OutboundRefused
 */
export function openStream(target: string, options: StreamOptions): Stream {
  const url = checkUrl(target, options.allowPrivate)
  const stream = createStream(options)
  import('ws').then(
    ({ WebSocket }) =>
      stream.attach(
        () =>
          new WebSocket(url, {
            ...limits,
            maxPayload: options.maxBytes ?? limits.maxPayload,
            perMessageDeflate: false,
            followRedirects: false,
            headers: { ...options.headers, ...headersOfNetwork() },
            lookup: checkedLookup(options.allowPrivate),
            ...connectionOptions(url),
          }),
      ),
    (error: unknown) => stream.end(messageOf(error)),
  )
  return stream
}

function createStream(options: StreamOptions) {
  const { onOpen, onMessage, onEnd, silenceMs = defaultSilenceMs, isText = false } = options
  let socket: WebSocket | undefined
  let hasEnded = false
  /** Time of the last message, ping or pong by the system's clock: timers do not count the time that a computer sleeps. */
  let lastSign = 0
  const handshake = setDeadline(() => end('The server did not complete the connection'), handshakeMs).unref()
  let heartbeat: Timer | undefined
  const controlBucket = createTokenBucket(controlFrames)
  /** Messages that arrived with one that made the stream pause: one read may contain thousands. */
  const waiting: Buffer[] = []
  /** Index of the first of them. */
  let first = 0
  /** Whether the caller has paused the stream. */
  let isPaused = false
  /** Whether the stream waits for a turn of the event loop. */
  let isYielding = false
  /** Milliseconds that messages have taken since the stream last waited for a turn of the event loop. */
  let busyMs = 0
  /** How the connection ended, while messages from before wait. */
  let lastEnd: StreamEnd | undefined

  function end(message: string, isViolation = false, status?: number): void {
    if (hasEnded) return
    if (waiting.length > 0 && !isViolation) {
      lastEnd ??= { message, isViolation }
      return
    }
    close()
    onEnd({ message, isViolation, status })
  }

  function close(): void {
    hasEnded = true
    clearDeadline(handshake)
    clearHeartbeat(heartbeat)
    clear()
    socket?.terminate()
  }

  function beat(): void {
    if (socket?.isPaused) return
    if (realTime() - lastSign > silenceMs) end('The server does not respond')
    else if (!isText) socket?.ping()
  }

  /** Passes a message on, and pauses the stream until the next turn of the event loop once messages have taken some milliseconds. */
  function deliver(message: Buffer): void {
    const startedAt = realElapsed()
    onMessage(message)
    busyMs += realElapsed() - startedAt
    if (busyMs < pieceMs) return
    busyMs = 0
    isYielding = true
    socket?.pause()
    void yieldToEventLoop().then(() => {
      isYielding = false
      proceed()
    })
  }

  /** Delivers waiting messages, then reads on. */
  function proceed(): void {
    for (let next = waiting[first]; next && mayDeliver(); next = waiting[first]) {
      first++
      deliver(next)
    }
    if (!mayDeliver()) return
    clear()
    if (lastEnd) end(lastEnd.message)
    else socket?.resume()
  }

  const mayDeliver = () => !hasEnded && !isPaused && !isYielding

  function clear(): void {
    waiting.length = 0
    first = 0
  }

  /** Counts pings, which the library answers at once, and answers to them. */
  function onControl(): void {
    sign()
    if (!hasEnded && controlBucket.take() > 0) end('The server sent too many pings', true)
  }

  function sign(): void {
    lastSign = realTime()
  }

  return {
    end,
    close,
    attach(open: () => WebSocket): void {
      if (hasEnded) return
      socket = open()
      socket.binaryType = 'nodebuffer'
      socket.on('open', () => {
        clearDeadline(handshake)
        sign()
        heartbeat = setHeartbeat(beat, silenceMs / 3).unref()
        onOpen()
      })
      socket.on('pong', onControl)
      socket.on('ping', onControl)
      socket.on('message', (data: Buffer, isBinary) => {
        if (hasEnded) return
        sign()
        if (isBinary === isText)
          return end(
            `The server sent ${isText ? 'binary data instead of text' : 'text instead of events'}`,
            true,
          )
        if (isPaused || isYielding || waiting.length > 0) waiting.push(data)
        else deliver(data)
      })
      socket.on('unexpected-response', (_, response: IncomingMessage) => {
        response.destroy()
        end(`The server answered ${response.statusCode}`, false, response.statusCode)
      })
      socket.on('close', (code) => end(`The server closed the connection (${code})`))
      socket.on('error', (error: NodeJS.ErrnoException) =>
        // Errors of the library's receiver: the message is too large, or no valid WebSocket message.
        end(messageOf(error), error.code?.startsWith('WS_ERR_') ?? false),
      )
    },
    pause(): void {
      isPaused = true
      socket?.pause()
    },
    resume(): void {
      isPaused = false
      sign()
      proceed()
    },
    send: (text: string) => socket?.send(text),
  }
}

// If several addresses of a host fail, the error has a code but no message.
function messageOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || 'The connection failed'
}
