/** Streams of other servers over WebSocket. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { OutboundRefused } from '../../../server/network/guard.ts'
import { openStream, type StreamEnd, type StreamOptions } from '../../../server/network/websocket.ts'

let server: Server
const sockets = new WebSocketServer({ noServer: true, autoPong: false })
/** What the server does with a connection. */
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

test.each<[string, (socket: WebSocket) => void]>([
  ['a text message', (socket) => socket.send('text')],
  ['a message of more than 5 MB', (socket) => socket.send(Buffer.alloc(5_000_001))],
  [
    'a reserved opcode',
    (socket) =>
      (socket as unknown as { _socket: { write(b: Buffer): void } })._socket.write(Buffer.from([0x83, 0])),
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
