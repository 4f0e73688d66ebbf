/** Connections: keep-alive, pipelining, timeouts, disconnects and shutdown. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { l } from '@atproto/lex-schema'
import { afterEach, describe, expect, test } from 'vitest'
import { createApp } from '../../server/platform/xrpc/http.ts'
import { listen } from '../../server/platform/xrpc/listen.ts'
import { exchange, open } from '../support/server/raw-http.ts'
import { json, method, serve, type TinyServer, userPrincipal } from '../support/server/tiny-server.ts'

const nothing = l.params({})

/** Handlers that return when the test releases them. */
function gate() {
  const opened = Promise.withResolvers<void>()
  const entered = Promise.withResolvers<void>()
  return {
    /** Resolves when the first handler has come to the gate. */
    arrival: () => entered.promise,
    open: () => opened.resolve(),
    async pass() {
      entered.resolve()
      await opened.promise
    },
  }
}

let server: TinyServer
let waiting = gate()
afterEach(() => server.close(0))

const start = async (options: Parameters<typeof serve>[1] = {}) => {
  waiting = gate()
  server = await serve(
    [
      method(
        {
          main: l.query(
            'com.test.quick',
            l.params({ n: l.optional(l.string()) }),
            l.jsonPayload({ n: l.optional(l.string()) }),
          ),
        },
        { auth: 'none', handler: ({ params }) => params },
      ),
      method(
        { main: l.query('com.test.slow', nothing, l.jsonPayload({ done: l.boolean() })) },
        {
          auth: 'none',
          async handler() {
            await waiting.pass()
            return { done: true }
          },
        },
      ),
      method(
        { main: l.procedure('com.test.note', nothing, l.jsonPayload({ text: l.string() }), l.payload()) },
        { auth: 'none', handler: () => {} },
      ),
      method(
        { main: l.query('com.test.large', nothing, l.jsonPayload({ text: l.string() })) },
        { auth: 'none', handler: () => ({ text: 'x'.repeat(30_000_000) }) },
      ),
    ],
    options,
  )
  return server
}

const get = (name: string) => `GET /xrpc/com.test.${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const noteHead = 'POST /xrpc/com.test.note HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const isRefused = (port: number) =>
  new Promise((resolve) =>
    connect(port, '127.0.0.1')
      .once('connect', () => resolve(false))
      .once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED')),
  )

describe('a connection', () => {
  test('is kept alive for further requests', async () => {
    const connection = await open((await start()).port)
    for (const count of [1, 2, 3]) {
      connection.send(get('quick'))
      expect(await connection.answers(count)).toHaveLength(count)
    }
    connection.socket.destroy()
  })

  test('with pipelined requests gets its responses in order', async () => {
    const connection = await open((await start()).port)
    connection.send(
      get('quick?n=1') +
        get('slow') +
        `${noteHead}Content-Length: 12\r\n\r\n{"text":"a"}` +
        get('unknown') +
        get('quick?n=2'),
    )
    await waiting.arrival()
    waiting.open()
    const answers = await connection.answers(5)
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { n: '1' }],
      [200, { done: true }],
      [200, undefined],
      [501, expect.objectContaining({ error: 'MethodNotImplemented' })],
      [200, { n: '2' }],
    ])
    connection.socket.destroy()
  })

  test('is kept alive after a refused body', async () => {
    const connection = await open((await start()).port)
    connection.send(`${noteHead}Content-Length: 4\r\n\r\nnope`)
    connection.send(get('quick'))
    expect((await connection.answers(2)).map(({ status }) => status)).toEqual([400, 200])
    connection.socket.destroy()
  })

  test('is closed at a malformed request, without the pending response', async () => {
    const connection = await open((await start()).port)
    connection.send(`${get('slow')}garbage\r\n\r\n`)
    await waiting.arrival()
    waiting.open()
    expect(await connection.closed()).toEqual([])
  })

  test('over IPv6 uses the same port', async ({ skip }) => {
    const { port } = await start({ hosts: ['127.0.0.1', '::1'] })
    const overSix = await exchange(port, get('quick'), '::1').catch(({ code }) => code as string)
    if (overSix === 'EADDRNOTAVAIL' || overSix === 'ECONNREFUSED') return skip('no IPv6 here')
    expect(overSix).toMatchObject({ status: 200 })
    expect(await exchange(port, get('quick'))).toMatchObject({ status: 200 })
  })

  test('a port in use is an error and leaves nothing open', async () => {
    const { port } = await start()
    const app = createApp({
      dispatch: async () => {},
      hostnames: [],
      health: () => ({ version: '', healthy: true }),
    })
    await expect(listen(app, ['127.0.0.2', '127.0.0.1'], port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await expect(exchange(port, get('quick'), '127.0.0.2')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('a client that disconnects', () => {
  test('while sending, waiting or reading does not affect others', async () => {
    const { port, fetch, failures } = await start()
    const sending = await open(port)
    sending.send(`${noteHead}Content-Length: 100\r\n\r\n{"text":`)
    const pieces = await open(port)
    pieces.send(`${noteHead}Transfer-Encoding: chunked\r\n\r\n5\r\n{"tex`)
    const patient = await open(port)
    patient.send(get('slow'))
    await waiting.arrival()
    const reading = await open(port)
    reading.send(get('large'))
    await once(reading.socket, 'data')
    for (const { socket } of [sending, pieces, patient, reading]) socket.resetAndDestroy()
    waiting.open()
    for (let call = 0; call < 3; call++) expect((await fetch('/xrpc/com.test.quick')).status).toBe(200)
    expect(failures).toEqual([])
  })

  test('before its credentials are checked leaves no pending body', async () => {
    const { port, fetch, settled, failures } = await start({
      async authorize() {
        await waiting.pass()
        return userPrincipal('Bearer alice')
      },
    })
    const connection = await open(port)
    connection.send(`${noteHead}Content-Length: 100\r\n\r\n`)
    await waiting.arrival()
    connection.socket.resetAndDestroy()
    await fetch('/xrpc/_health')
    waiting.open()
    await settled()
    expect(failures).toEqual([])
  })
})

describe('a client that hangs', () => {
  const timeouts = { headersMs: 100, requestMs: 200, idleMs: 300 }
  const timedOut = [{ status: 408, headers: { connection: 'close' }, body: { error: 'InvalidRequest' } }]

  test('before its first byte is disconnected', async () => {
    const connection = await open((await start({ timeouts })).port)
    expect(await connection.closed()).toMatchObject(timedOut)
  })

  test('within its headers is disconnected', async () => {
    const connection = await open((await start({ timeouts })).port)
    connection.send('GET /xrpc/com.test.quick HTTP/1.1\r\nHost: loc')
    expect(await connection.closed()).toMatchObject(timedOut)
  })

  test('within its body is disconnected', async () => {
    const connection = await open((await start({ timeouts })).port)
    connection.send(`${noteHead}Content-Length: 100\r\n\r\n{"text":`)
    expect(await connection.closed()).toMatchObject(timedOut)
  })

  test('that sends byte after byte is disconnected', async () => {
    const connection = await open((await start({ timeouts })).port)
    connection.send(`${noteHead}Content-Length: 100000\r\n\r\n`)
    const drip = setInterval(() => connection.socket.writable && connection.send(' '), 20)
    expect(await connection.closed()).toMatchObject(timedOut)
    clearInterval(drip)
  })

  test('that continues to send after a refusal is disconnected', async () => {
    const connection = await open((await start({ timeouts })).port)
    connection.send(`${noteHead}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const flood = setInterval(() => connection.socket.writable && connection.send(chunk), 20)
    expect((await connection.closed())[0]).toMatchObject({ status: 413 })
    clearInterval(flood)
  })

  test('that does not read its response is disconnected', async () => {
    const { port, close } = await start({ timeouts })
    const { socket, send } = await open(port)
    send(get('large'))
    await once(socket, 'data')
    socket.pause()
    // Until then the response is in flight, and close would wait for it.
    await close(60_000)
  })

  test('does not delay other clients', async () => {
    const { port, fetch } = await start()
    const idle = await Promise.all(Array.from({ length: 100 }, () => open(port)))
    for (const { send } of idle) send('POST /xrpc/com.test.note HTTP/1.1\r\n')
    expect((await fetch('/xrpc/com.test.quick')).status).toBe(200)
    for (const { socket } of idle) socket.destroy()
  })
})

describe('closing', () => {
  test('lets a request in flight finish, then closes its connection at once', async () => {
    const { port, close } = await start()
    const connection = await open(port)
    connection.send(get('slow'))
    await waiting.arrival()
    const closing = close(60_000)
    expect(await isRefused(port)).toBe(true)
    const answered = performance.now()
    waiting.open()
    expect(await connection.closed()).toMatchObject([{ status: 200, body: { done: true } }])
    await closing
    // Sooner than the keep-alive timeout of 5 seconds.
    expect(performance.now() - answered).toBeLessThan(4000)
  })

  test('lets a body in flight arrive', async () => {
    const { port, close, fetch } = await start()
    const connection = await open(port)
    connection.send(`${noteHead}Content-Length: 12\r\n\r\n{"text"`)
    await fetch('/xrpc/com.test.quick')
    const closing = close(60_000)
    connection.send(':"a"}')
    expect(await connection.closed()).toMatchObject([{ status: 200 }])
    await closing
  })

  test('does not wait for idle connections', async () => {
    const { port, close } = await start()
    const silent = await open(port)
    const used = await open(port)
    used.send(get('quick'))
    await used.answers(1)
    await close(60_000)
    expect(await Promise.all([silent.closed(), used.closed()])).toMatchObject([[], [{ status: 200 }]])
  })

  test('cuts requests that outlast the grace period', async () => {
    const { port, close } = await start()
    const connection = await open(port)
    connection.send(get('slow'))
    await waiting.arrival()
    await close(10)
    expect(await connection.closed()).toEqual([])
    waiting.open()
  })
})

test('a client that waits for a slow response stays connected', async () => {
  const { port } = await start({ timeouts: { headersMs: 5000, requestMs: 5000, idleMs: 100 } })
  const patient = await open(port)
  patient.send(get('slow'))
  await waiting.arrival()
  // This one is disconnected after the same time without a byte.
  const hanging = await open(port)
  hanging.send(`${noteHead}Content-Length: 100\r\n\r\n{"text":`)
  await hanging.closed()
  waiting.open()
  expect(await patient.answers(1)).toMatchObject([{ status: 200, body: { done: true } }])
})

test('concurrent requests are all answered', async () => {
  const { fetch } = await start()
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      n % 2 ? fetch(`/xrpc/com.test.quick?n=${n}`) : fetch('/xrpc/com.test.note', json({ text: `${n}` })),
    ),
  )
  expect(
    answers.every(({ status, body }, n) => status === 200 && body?.n === (n % 2 ? `${n}` : undefined)),
  ).toBe(true)
})
