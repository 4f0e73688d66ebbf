/** Subscriptions over WebSocket: upgrades, frames, limits and ends. */
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { networkInterfaces } from 'node:os'
import { encode } from '@atproto/lex-cbor'
import { l } from '@atproto/lex-schema'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { fromPush } from '../../server/platform/xrpc/from-push.ts'
import type { Principal } from '../../server/platform/xrpc/method.ts'
import { protocolError, XrpcError } from '../../server/platform/xrpc/xrpc-errors.ts'
import { type Listener, type ListenOptions, listen, listening } from '../support/server/listener.ts'
import { exchange, open } from '../support/server/raw-http.ts'
import { method, serve, subscription, type TinyServer, userPrincipal } from '../support/server/tiny-server.ts'

const nsid = 'com.test.listen'
const text = l.typedObject(nsid, 'text', l.object({ text: l.string() }))
const schema = l.subscription(
  nsid,
  l.params({ count: l.optional(l.integer()) }),
  l.typedUnion([l.typedRef(() => text as never)], false),
)
type Watch = NonNullable<Principal['watch']>
const watchedBy = (watch: Watch) => () => ({ ...userPrincipal('Bearer alice'), watch })
type Send = (message: { $type: string; text: string }) => void

/** The arguments of the handler, and its state. */
let send: Send
let params: unknown
let ended = 0
let fault: Error | undefined
const listenTo = subscription(
  { main: schema },
  {
    auth: 'user',
    connections: 2,
    async *handler(call) {
      if (fault) throw fault
      params = call.params
      yield* fromPush<never>(call.signal, (push) => {
        send = push as unknown as Send
        return () => ended++
      })
    },
  },
)
/** Messages that `flood` has yielded, and after how many it returns. */
let yielded = 0
let limit = Number.POSITIVE_INFINITY
const floodId = 'com.test.flood'
const flood = subscription(
  { main: l.subscription(floodId, l.params({}), l.typedUnion([l.typedRef(() => text as never)], false)) },
  {
    auth: 'user',
    connections: 2,
    async *handler() {
      try {
        while (yielded < limit) {
          yielded++
          yield { $type: `${floodId}#text`, text: 'x'.repeat(100_000) } as never
        }
        if (fault) throw fault
      } finally {
        ended++
      }
    },
  },
)
const encoded = subscription(
  { main: l.subscription('com.test.encoded', l.params({}), l.typedUnion([], false)) },
  {
    auth: 'none',
    connections: 2,
    async *handler({ signal }) {
      yield Buffer.concat([encode({ op: 1, t: '#any' }), encode({ bytes: new Uint8Array([1, 2]) })])
      await once(signal, 'abort')
    },
  },
)
const echo = method(
  { main: l.query('com.test.ask', l.params(), l.payload('application/json', l.object({}))) },
  { auth: 'none', handler: () => ({}) },
)

let server: TinyServer
const start = async (options: Parameters<typeof serve>[1] = {}) => {
  server = await serve([echo], { subscriptions: [listenTo, flood, encoded], ...options })
}
afterEach(async () => {
  await server.close()
  fault = undefined
  ended = 0
  yielded = 0
  limit = Number.POSITIVE_INFINITY
})

type Options = ListenOptions & { path?: string }
const as = (name: string, more: ListenOptions = {}) => ({
  ...more,
  headers: { authorization: `Bearer ${name}`, ...more.headers },
})
/** Connects to a subscription of the test. */
const connect = (name: string, { path = 'listen', ...options }: Options = {}): Promise<Listener> =>
  listening(`${server.url}/xrpc/com.test.${path}`, as(name, options))
const message = (words: string) => ({ $type: `${nsid}#text`, text: words })
const handshake = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Authorization: Bearer alice',
]
const ask = (lines: readonly string[], path = `/xrpc/${nsid}`, host = 'localhost') =>
  exchange(server.port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...lines, '', ''].join('\r\n'))

describe('a client', () => {
  test('receives frames of a header and a message with its declared properties', async () => {
    await start()
    const stream = await connect('alice')
    const loose = { ...message('hello'), secret: 'not for anybody' }
    send(loose)
    expect(await stream.next()).toEqual({ header: { op: 1, t: '#text' }, payload: { text: 'hello' } })
    stream.close()
  })

  test('sends parameters in the URL', async () => {
    await start()
    const stream = await listening(`${server.url}/xrpc/${nsid}?count=3`, as('alice'))
    expect(params).toEqual({ count: 3 })
    stream.close()
  })

  test('is sent an error frame for invalid parameters, because many libraries hide the response to an upgrade', async () => {
    await start()
    const stream = await listening(`${server.url}/xrpc/${nsid}?count=many`, as('alice'))
    const payload = { error: 'InvalidRequest', message: expect.any(String) }
    const end = { frames: [{ header: { op: -1 }, payload }], code: 1008, reason: 'InvalidRequest' }
    expect(await stream.ended()).toEqual(end)
  })

  test('that disconnects stops its handler', async () => {
    await start()
    const stream = await connect('alice')
    stream.socket.terminate()
    await expect.poll(() => ended).toBe(1)
    send(message('anybody?'))
  })

  test('may send small messages, which are ignored', async () => {
    await start()
    const stream = await connect('alice')
    stream.socket.send('x'.repeat(1024))
    send(message('still here'))
    expect((await stream.next()).payload).toEqual({ text: 'still here' })
    stream.socket.send('x'.repeat(1025))
    expect(await stream.ended()).toMatchObject({ code: 1009 })
    await expect.poll(() => ended).toBe(1)
  })

  test('that does not answer pings is disconnected; others are not', async () => {
    // Long enough that a busy machine answers in time.
    await start({ heartbeatMs: 500 })
    const [deaf, alive] = await Promise.all([connect('alice', { autoPong: false }), connect('bob')])
    expect(await deaf.ended()).toMatchObject({ code: 1006 })
    send(message('hello'))
    expect(alive.socket.readyState).toBe(alive.socket.OPEN)
    alive.close()
  })

  test('that does not read is not asked for, and gets ConsumerTooSlow', async () => {
    await start({ drainMs: 300 })
    const stream = await connect('alice', { path: 'flood' })
    stream.socket.pause()
    await expect.poll(() => ended).toBe(1)
    // The system's own buffers come on top of the bound of 1 MB.
    expect(yielded).toBeLessThan(200)
    stream.socket.resume()
    const { frames, code, reason } = await stream.ended()
    expect(frames.at(-1)).toMatchObject({ header: { op: -1 }, payload: { error: 'ConsumerTooSlow' } })
    expect(frames).toHaveLength(yielded + 1)
    expect({ code, reason }).toEqual({ code: 1008, reason: 'ConsumerTooSlow' })
  })

  test('that reads slowly, but reads, gets everything', async () => {
    await start()
    limit = 200
    const stream = await connect('alice', { path: 'flood' })
    stream.socket.pause()
    await expect.poll(() => yielded).toBeGreaterThan(1)
    stream.socket.resume()
    const { frames, code } = await stream.ended()
    expect(frames).toHaveLength(limit)
    expect(frames.at(-1)?.payload).toEqual({ text: 'x'.repeat(100_000) })
    expect(code).toBe(1000)
  })

  test('for which a source pushes too much gets ConsumerTooSlow', async () => {
    await start()
    const stream = await connect('alice')
    for (let count = 0; count < 2100; count++) send(message('hello'))
    expect((await stream.ended()).frames.at(-1)?.payload).toMatchObject({ error: 'ConsumerTooSlow' })
    expect(ended).toBe(1)
  })

  test('gets the error that a handler throws, after its messages', async () => {
    await start()
    limit = 1
    fault = new XrpcError('FutureCursor', 'Not yet')
    const stream = await connect('alice', { path: 'flood' })
    const { frames, code } = await stream.ended()
    expect(frames.map(({ payload }) => payload.error)).toEqual([undefined, 'FutureCursor'])
    expect(code).toBe(1008)
    expect(server.failures).toEqual([])
  })

  test('gets encoded frames as they are', async () => {
    await start()
    const { next, close } = await connect('alice', { path: 'encoded' })
    expect(await next()).toEqual({ header: { op: 1, t: '#any' }, payload: { bytes: new Uint8Array([1, 2]) } })
    close()
  })

  test('needs no credentials where none are required, and its address has a limit', async () => {
    await start()
    const url = `${server.url}/xrpc/com.test.encoded`
    const streams = await Promise.all([listening(url), listening(url)])
    expect(await listen(url)).toMatchObject({ status: 429, body: { error: 'RateLimitExceeded' } })
    for (const stream of streams) stream.close()
  })

  test('gets the reason when its credentials end', async () => {
    let end: Parameters<Watch>[0] = () => {}
    let watched = 0
    await start({
      authorize: watchedBy((onEnd) => {
        end = onEnd
        watched++
        return () => watched--
      }),
    })
    const stream = await connect('alice')
    end(protocolError('ExpiredToken', 'Too late'))
    send(message('too late'))
    const { frames, code } = await stream.ended()
    expect(frames).toEqual([{ header: { op: -1 }, payload: { error: 'ExpiredToken', message: 'Too late' } }])
    expect({ code, ended, watched }).toEqual({ code: 1008, ended: 1, watched: 0 })
  })

  test('whose credentials end while it connects receives no message', async () => {
    send = () => {
      throw new Error('the handler was not called')
    }
    await start({
      authorize: watchedBy((end) => {
        end(protocolError('ExpiredToken'))
        return () => {}
      }),
    })
    const stream = await connect('alice')
    expect((await stream.ended()).frames).toHaveLength(1)
    expect(() => send(message('hello'))).toThrow('not called')
  })

  test('gets InternalServerError for an unexpected error, which is logged', async () => {
    await start()
    fault = new Error('secret inside')
    const stream = await connect('alice')
    const { frames, code } = await stream.ended()
    expect(frames).toEqual([{ header: { op: -1 }, payload: { error: 'InternalServerError' } }])
    expect(code).toBe(1011)
    expect(server.failures).toEqual([fault])
  })

  test('may open as many connections as the subscription allows', async () => {
    await start()
    const streams = [await connect('alice'), await connect('alice'), await connect('bob')]
    const refused = { status: 429, body: { error: 'RateLimitExceeded' } }
    expect(await listen(`${server.url}/xrpc/${nsid}`, as('alice'))).toMatchObject(refused)
    streams[0]?.close()
    await streams[0]?.ended()
    streams.push(await connect('alice'))
    for (const stream of streams) stream.close()
  })
})

describe('a client chooses the framing by the subprotocol that it offers', () => {
  /** Connects and collects the messages of the server, texts as parsed JSON. */
  async function offer(protocols: string[], path = 'listen') {
    const headers = { authorization: 'Bearer alice' }
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/xrpc/com.test.${path}`, protocols, {
      headers,
    })
    const received: unknown[] = []
    socket.on('message', (data, isBinary) => received.push(isBinary ? 'binary' : JSON.parse(String(data))))
    const closed = once(socket, 'close')
    await once(socket, 'open')
    return { socket, protocol: socket.protocol, received, closed }
  }

  test('xrpc.v1.json: each text is one object, with the whole type of the message', async () => {
    await start()
    const { socket, protocol, received } = await offer(['xrpc.v1.cbor', 'xrpc.v1.json', 'xrpc.v0.cbor'])
    expect(protocol).toBe('xrpc.v1.json')
    const loose = { ...message('hello'), secret: 'not for anybody' }
    send(loose)
    await expect.poll(() => received).toEqual([{ $type: 'message', payload: message('hello') }])
    socket.terminate()
  })

  test('xrpc.v1.json: a frame that the handler has encoded is converted, with bytes and links in their JSON form', async () => {
    await start()
    const clients = await Promise.all([
      offer(['xrpc.v1.json'], 'encoded'),
      offer(['xrpc.v1.json'], 'encoded'),
    ])
    const payload = { $type: 'com.test.encoded#any', bytes: { $bytes: 'AQI' } }
    for (const { socket, received } of clients) {
      await expect.poll(() => received).toEqual([{ $type: 'message', payload }])
      socket.terminate()
    }
  })

  test('xrpc.v1.json: an error is one object, the last one', async () => {
    await start()
    fault = new XrpcError('FutureCursor', 'Not yet')
    const { received, closed } = await offer(['xrpc.v1.json'])
    expect((await closed)[0]).toBe(1008)
    expect(received).toEqual([{ $type: 'error', error: 'FutureCursor', message: 'Not yet' }])
  })

  test.each([
    ['xrpc.v0.cbor', ['xrpc.v0.cbor', 'xrpc.v1.json']],
    ['xrpc', ['bearer.alice', 'xrpc']],
    ['xrpc.v1.json', ['bearer.alice', 'xrpc.v1.json', 'xrpc']],
  ])('%s: the first one that the server has', async (chosen, offered) => {
    await start()
    const { socket, protocol, received } = await offer(offered)
    expect(protocol).toBe(chosen)
    send(message('hello'))
    await expect.poll(() => received).toHaveLength(1)
    expect(received[0] === 'binary').toBe(chosen !== 'xrpc.v1.json')
    socket.terminate()
  })
})

const [outside = ''] = Object.values(networkInterfaces())
  .flat()
  .flatMap((each) => (each?.family === 'IPv4' && !each.internal ? each.address : []))

test.skipIf(!outside)('another machine may open 100 connections at once, over all accounts', async () => {
  await start({ hosts: ['0.0.0.0'], hostnames: [outside] })
  const url = `http://${outside}:${server.port}/xrpc/${nsid}`
  const names = Array.from({ length: 100 }, (_, i) => `name${i}`)
  const streams = await Promise.all(names.map((name) => listening(url, as(name))))
  const refused = { status: 429, body: { error: 'RateLimitExceeded' } }
  expect(await listen(url, as('another'))).toMatchObject(refused)
  streams.push(await connect('another'))
  for (const stream of streams) stream.close()
})

describe('an upgrade', () => {
  test('passes the checks of methods: Host, path, credentials, with a JSON error', async () => {
    await start()
    expect(await ask(handshake, undefined, 'evil.example')).toMatchObject({
      status: 403,
      body: { error: 'Forbidden' },
    })
    expect(await ask(handshake, '/xrpc/com.test.unknown')).toMatchObject({
      status: 501,
      body: { error: 'MethodNotImplemented' },
    })
    expect(await ask(handshake, '/elsewhere')).toMatchObject({
      status: 404,
      body: { error: 'PathNotFound' },
    })
    const refused = await ask(handshake.slice(0, -1))
    expect(refused).toMatchObject({ status: 401, body: { error: 'AuthMissing' } })
    expect(refused.headers).toMatchObject({ connection: 'close', 'access-control-allow-origin': '*' })
  })

  test('that is refused leaves no connection open', async () => {
    await start()
    // A client that does not close its side gets a reset when it sends on.
    const socket = connectTcp({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    socket.write(['GET /xrpc/none HTTP/1.1', 'Host: localhost', ...handshake, '', ''].join('\r\n'))
    await once(socket.resume(), 'end')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write('anybody?', () => socket.write('anybody?'))
    await closed
  })

  test.each<[string, number, string, string]>([
    ['another version', 426, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Version: 8'],
    ['a bad key', 400, 'AAAAAAAAAAAAAAAAAAAAAA==', 'short'],
    ['no upgrade', 426, 'Upgrade: websocket', 'X-Nothing: at all'],
    ['another protocol', 426, 'Upgrade: websocket', 'Upgrade: h2c'],
    [
      'bad subprotocols',
      400,
      'Authorization: Bearer alice',
      'Authorization: Bearer alice\r\nSec-WebSocket-Protocol: a,,b',
    ],
  ])('is refused for %s with %i', async (_, status, good, bad) => {
    await start()
    const lines = handshake.map((line) => line.replace(good, bad))
    const refused = await ask(lines)
    expect(refused).toMatchObject({ status, body: { error: 'InvalidRequest' } })
    if (status === 426)
      expect(refused.headers).toMatchObject({ upgrade: 'websocket', 'sec-websocket-version': '13' })
  })

  test('by another verb is answered 405', async () => {
    await start()
    const response = await fetch(`http://localhost:${server.port}/xrpc/${nsid}`, { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
  })

  test('to another protocol is ignored, and the method is called', async () => {
    await start()
    expect(await ask(['Upgrade: h2c', 'Connection: Upgrade'], '/xrpc/com.test.ask')).toMatchObject({
      status: 200,
    })
    expect(await ask(handshake, '/xrpc/com.test.ask')).toMatchObject({ status: 200, body: {} })
  })
})

describe('a server that closes', () => {
  test('closes connections with 1001 and does not wait for silent clients', async () => {
    await start()
    const [stream, hung] = await Promise.all([connect('alice'), open(server.port)])
    hung.send('GET ')
    await server.close()
    expect(await stream.ended()).toMatchObject({ code: 1001 })
    expect(ended).toBe(1)
  })
})
