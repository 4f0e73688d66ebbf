/** Streams of other servers over WebSocket. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { OutboundRefused } from '../../../../server/platform/network/guard.ts'
import {
  openStream,
  type StreamEnd,
  type StreamOptions,
} from '../../../../server/platform/network/websocket.ts'
import { pieceMs } from '../../../../server/util/turns.ts'

let server: Server
const sockets = new WebSocketServer({ noServer: true, autoPong: false })
/** The server's treatment of a connection. */
let behave: (socket: WebSocket) => void

beforeAll(async () => {
  server = createServer((_, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
  server.on('upgrade', (req, socket, head) => {
    if (req.url === '/elsewhere') {
      socket.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n')
    } else sockets.handleUpgrade(req, socket, head, (stream) => behave(stream))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const url = (path = '/') => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

/** Resolves with the end of a stream and the messages before it. */
function read(path: string, options: Partial<StreamOptions> = {}) {
  const messages: string[] = []
  return new Promise<StreamEnd & { messages: string[] }>((resolve) => {
    openStream(url(path), {
      allowPrivate: true,
      onOpen() {},
      onMessage: (bytes) => messages.push(bytes.toString()),
      onEnd: (end) => resolve({ ...end, messages }),
      ...options,
    })
  })
}

test('messages arrive in order, until the server closes the connection', async () => {
  behave = (socket) => {
    for (const text of ['one', 'two']) socket.send(Buffer.from(text))
    socket.close(1001)
  }
  expect(await read('/')).toMatchObject({ messages: ['one', 'two'], isViolation: false })
})

test('messages that take long to process are divided among turns of the event loop', async () => {
  behave = (socket) => {
    // Larger than one read from the network.
    for (let n = 0; n < 20; n++) socket.send(Buffer.alloc(100_000))
    socket.close()
  }
  let turn = 0
  let hasEnded = false
  const counting = (async () => {
    for (; !hasEnded; turn++) await setImmediate()
  })()
  const messagesOf = new Map<number, number>()
  await read('/', {
    onMessage() {
      messagesOf.set(turn, (messagesOf.get(turn) ?? 0) + 1)
      for (const end = performance.now() + pieceMs + 1; performance.now() < end; );
    },
  })
  hasEnded = true
  await counting
  expect(Math.max(...messagesOf.values())).toBeLessThanOrEqual(2)
})

test('a stream that is paused while it waits for a turn stays paused', async () => {
  behave = (socket) => {
    for (let n = 0; n < 20; n++) socket.send(Buffer.alloc(100_000))
  }
  let received = 0
  const stream = openStream(url(), {
    allowPrivate: true,
    onOpen() {},
    onMessage() {
      received++
      for (const end = performance.now() + pieceMs + 1; performance.now() < end; );
      if (received === 2) stream.pause()
    },
    onEnd() {},
  })
  await vi.waitFor(() => expect(received).toBe(2), 60_000)
  for (let n = 0; n < 20; n++) await setImmediate()
  expect(received).toBe(2)
  stream.resume()
  await vi.waitFor(() => expect(received).toBe(20), 60_000)
  stream.close()
})

test('thousands of small messages that arrive at once are divided, and stop at a pause', async () => {
  behave = (socket) => {
    const raw = (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket
    const messages = Array.from({ length: 3000 }, (_, n) => Buffer.from([0x82, 2, n >> 8, n & 255]))
    raw.write(Buffer.concat(messages))
    socket.close()
  }
  const received: number[] = []
  const { promise: ended, resolve } = Promise.withResolvers<StreamEnd>()
  const stream = openStream(url(), {
    allowPrivate: true,
    onOpen() {},
    onMessage(bytes) {
      received.push(bytes.readUInt16BE())
      if (received.length === 1000) stream.pause()
      if (received.length === 2000)
        for (const end = performance.now() + pieceMs + 1; performance.now() < end; );
      if (received.length === 2000) queueMicrotask(() => expect(received).toHaveLength(2000))
    },
    onEnd: resolve,
  })
  await vi.waitFor(() => expect(received).toHaveLength(1000), 60_000)
  for (let n = 0; n < 20; n++) await setImmediate()
  expect(received).toHaveLength(1000)
  stream.resume()
  expect(await ended).toMatchObject({ isViolation: false })
  expect(received).toEqual(Array.from({ length: 3000 }, (_, n) => n))
})

test.each<[string, (socket: WebSocket) => void]>([
  ['a text message', (socket) => socket.send('text')],
  ['a message of more than 5 MB', (socket) => socket.send(Buffer.alloc(5_000_001))],
  [
    'a reserved opcode',
    (socket) =>
      (socket as unknown as { _socket: { write(b: Buffer): void } })._socket.write(Buffer.from([0x83, 0])),
  ],
  [
    'a flood of pings',
    (socket) => {
      const raw = (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket
      raw.write(Buffer.alloc(4000, Buffer.from([0x89, 0])))
    },
  ],
  [
    'a message in thousands of parts',
    (socket) => {
      const raw = (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket
      raw.write(Buffer.concat([Buffer.from([0x02, 1, 0]), Buffer.alloc(15_000, Buffer.from([0x00, 1, 0]))]))
    },
  ],
])('%s is a violation', async (_, act) => {
  behave = act
  expect(await read('/')).toMatchObject({ isViolation: true, messages: [] })
})

test('a server that neither sends nor answers pings is cut', async () => {
  behave = () => {}
  expect(await read('/', { silenceMs: 60 })).toMatchObject({ message: 'The server does not respond' })
})

test('redirects are not followed', async () => {
  expect(await read('/elsewhere')).toMatchObject({ message: 'The server answered 302' })
})

test('private addresses are refused unless they are allowed', () => {
  expect(() => openStream(url(), { allowPrivate: false, onOpen() {}, onMessage() {}, onEnd() {} })).toThrow(
    OutboundRefused,
  )
})
