/** Bodies that are not JSON: streamed uploads, responses with a status, headers and a stream of their own. */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { l } from '@atproto/lex-schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BinaryOutput } from '../../server/platform/xrpc/method.ts'
import { protocolError } from '../../server/platform/xrpc/xrpc-errors.ts'
import { exchange, open } from '../support/server/raw-http.ts'
import { method, serve, type TinyServer, userPrincipal } from '../support/server/tiny-server.ts'

const nothing = l.params({})
const counted = l.jsonPayload({
  encoding: l.string(),
  length: l.optional(l.integer()),
  bytes: l.integer(),
})

let started = Promise.withResolvers<void>()
/** Errors that handlers got while they read a body. */
let seen: unknown[] = []
/** Names that may no longer call. */
const revoked = new Set<string>()

/** Counts the bytes of a body. */
const upload = method(
  { main: l.procedure('com.test.upload', nothing, l.payload('*/*'), counted) },
  {
    auth: 'user',
    maxBody: 1_000_000,
    async handler({ input: { encoding, length, body } }) {
      started.resolve()
      let bytes = 0
      try {
        for await (const chunk of body) bytes += chunk.length
      } catch (error) {
        seen.push(error)
        throw error
      }
      return { encoding, length, bytes }
    },
  },
)

const archive = method(
  { main: l.procedure('com.test.archive', nothing, l.payload('application/vnd.ipld.car'), l.payload()) },
  { auth: 'none', maxBody: () => 2_000, async handler() {} },
)

/** Refuses after the first chunk. */
const picky = method(
  { main: l.procedure('com.test.picky', nothing, l.payload('image/*'), l.payload()) },
  {
    auth: 'none',
    maxBody: 10_000_000,
    async handler({ input, fail }) {
      for await (const chunk of input.body) throw fail('InvalidRequest', `began with ${chunk.length > 0}`)
    },
  },
)

/** The output of the next call, and whether its stream was destroyed. */
let output: BinaryOutput
const download = method(
  { main: l.query('com.test.download', nothing, l.payload('*/*')) },
  { auth: 'none', handler: () => output },
)

let server: TinyServer
beforeAll(async () => {
  server = await serve([upload, archive, picky, download], {
    authorize({ headers: { authorization = '' } }, { auth }) {
      const principal = userPrincipal(authorization)
      const isRefused = principal.account === '' || revoked.has(principal.account)
      if (auth !== 'none' && isRefused) throw protocolError('AuthenticationRequired')
      return principal
    },
  })
})
afterAll(() => server.close(0))
beforeEach(() => {
  started = Promise.withResolvers()
  seen = []
  revoked.clear()
})

const post = (name: string, body: RequestInit['body'], headers: Record<string, string> = {}) =>
  server.fetch(`/xrpc/com.test.${name}`, {
    method: 'POST',
    headers: { authorization: 'Bearer alice', ...headers },
    body,
    duplex: 'half',
  } as RequestInit)
const uploadHead = 'POST /xrpc/com.test.upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice\r\n'
const get = (headers: Record<string, string> = {}, verb = 'GET') =>
  server.fetch('/xrpc/com.test.download', { method: verb, headers })

describe('a binary body', () => {
  test('arrives with its type, without parameters, and its length', async () => {
    const answer = await post('upload', new Uint8Array(70_000), { 'content-type': 'Image/PNG; q="a;b"' })
    expect(answer).toMatchObject({
      status: 200,
      body: { encoding: 'image/png', length: 70_000, bytes: 70_000 },
    })
  })

  test('may arrive in chunks, without a length', async () => {
    const { status, body } = await post('upload', new Blob(['a'.repeat(1000)]).stream(), {
      'content-type': 'text/plain',
    })
    expect([status, body]).toEqual([200, { encoding: 'text/plain', bytes: 1000 }])
  })

  test('of a JSON type is not parsed', async () => {
    const answer = await post('upload', '{"a', { 'content-type': 'application/json' })
    expect(answer.body).toMatchObject({ encoding: 'application/json', bytes: 3 })
  })

  test('may be empty', async () => {
    const answer = await exchange(server.port, `${uploadHead}Content-Type: a/b\r\nContent-Length: 0\r\n\r\n`)
    expect(answer.body).toEqual({ encoding: 'a/b', length: 0, bytes: 0 })
  })

  test.each(['', 'Content-Type: \r\n', 'Content-Type: png\r\n', 'Content-Type: ; a=b\r\n'])(
    'with %j for a type is refused',
    async (type) => {
      const answer = await exchange(server.port, `${uploadHead}${type}Content-Length: 1\r\n\r\nx`)
      expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
      expect(answer.body.message).toContain('Content-Type')
    },
  )

  test.each([
    ['archive', 'application/vnd.ipld.car', 200],
    ['archive', 'application/vnd.ipld.car; version=1', 200],
    ['archive', 'application/octet-stream', 400],
    ['picky', 'text/html', 400],
  ])('of %s is accepted by its declared type: %s is %i', async (name, type, status) => {
    expect((await post(name, 'x', { 'content-type': type })).status).toBe(status)
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('in %s is decompressed, and has no known length', async (coding, pack) => {
    const headers = { 'content-type': 'a/b', 'content-encoding': coding }
    const answer = await post('upload', pack(Buffer.alloc(500_000)), headers)
    expect(answer.body).toEqual({ encoding: 'a/b', bytes: 500_000 })
    expect(await post('upload', pack(Buffer.alloc(1_000_001)), headers)).toMatchObject({ status: 413 })
    expect(await post('upload', 'not compressed', headers)).toMatchObject({ status: 400 })
  })

  test('in br is refused while six others arrive, because the window of each takes memory', async () => {
    const bytes = brotliCompressSync(Buffer.alloc(500_000))
    const headers = { 'content-type': 'a/b', 'content-encoding': 'br' }
    const head = `Content-Type: a/b\r\nContent-Encoding: br\r\nContent-Length: ${bytes.length}\r\n\r\n`
    const paused = []
    for (let i = 0; i < 6; i++) {
      started = Promise.withResolvers()
      const connection = await open(server.port)
      connection.send(`${uploadHead}${head}`)
      await started.promise
      paused.push(connection)
    }
    const refused = await post('upload', bytes, headers)
    expect(refused).toMatchObject({ status: 503, body: { error: 'NotEnoughResources' } })
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await post('upload', bytes, { 'content-type': 'a/b' })).toMatchObject({ status: 200 })
    for (const connection of paused) {
      connection.send(bytes)
      expect(await connection.answers(1)).toMatchObject([{ status: 200, body: { bytes: 500_000 } }])
      connection.socket.destroy()
    }
    expect(await post('upload', bytes, headers)).toMatchObject({ status: 200 })
  })

  test('in an unknown coding is refused', async () => {
    const headers = { 'content-type': 'a/b', 'content-encoding': 'rot13' }
    expect(await post('upload', 'x', headers)).toMatchObject({ status: 400 })
  })
})

describe('the size of a binary body', () => {
  const type = { 'content-type': 'a/b' }
  const tooLarge = { status: 413, body: { error: 'PayloadTooLarge' } }

  test('is limited by Content-Length before it arrives', async () => {
    const connection = await open(server.port)
    connection.send(`${uploadHead}Content-Type: a/b\r\nContent-Length: 1000001\r\n\r\n`)
    expect(await connection.answers(1)).toMatchObject([tooLarge])
    connection.socket.destroy()
  })

  test('is limited without Content-Length, and the connection goes on', async () => {
    expect(await post('upload', new Uint8Array(1_000_000), type)).toMatchObject({ status: 200 })
    const connection = await open(server.port)
    connection.send(`${uploadHead}Content-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    connection.send(chunk.repeat(16))
    // The response comes although the body never ends.
    expect(await connection.answers(1)).toMatchObject([tooLarge])
    connection.send(`${chunk.repeat(16)}0\r\n\r\nGET /xrpc/_health HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(await connection.answers(2)).toMatchObject([tooLarge, { status: 200 }])
    expect(seen).toMatchObject([{ name: 'PayloadTooLarge' }])
    connection.socket.destroy()
  })

  test('may depend on the services', async () => {
    const car = { 'content-type': 'application/vnd.ipld.car' }
    expect(await post('archive', new Uint8Array(2_001), car)).toMatchObject(tooLarge)
  })
})

test('a handler that stops reading answers while the client is still sending', async () => {
  const answer = await post('picky', new Uint8Array(9_000_000), { 'content-type': 'image/png' })
  expect(answer).toMatchObject({ status: 400, body: { message: 'began with true' } })
})

test.each(['', 'Content-Encoding: gzip\r\n'])(
  'a body that is cut throws in the handler (%j)',
  async (coding) => {
    const connection = await open(server.port)
    connection.send(`${uploadHead}Content-Type: a/b\r\n${coding}Content-Length: 1000\r\n\r\n`)
    await started.promise
    connection.socket.destroy()
    await server.settled()
    expect(seen).toMatchObject([
      { name: 'InvalidRequest', message: expect.stringContaining('closed before') },
    ])
    expect(server.failures).toEqual([])
  },
)

describe('credentials', () => {
  test('are checked before a binary body is read', async () => {
    const connection = await open(server.port)
    connection.send('POST /xrpc/com.test.upload HTTP/1.1\r\nHost: localhost\r\n')
    connection.send('Content-Type: a/b\r\nContent-Length: 1000\r\n\r\n')
    expect(await connection.answers(1)).toMatchObject([{ status: 401 }])
    connection.socket.destroy()
  })

  test('that end while the body arrives are refused at its end', async () => {
    const connection = await open(server.port)
    connection.send(`${uploadHead}Content-Type: a/b\r\nContent-Length: 2\r\n\r\n1`)
    await started.promise
    revoked.add('alice')
    connection.send('2')
    expect(await connection.answers(1)).toMatchObject([
      { status: 401, body: { error: 'AuthenticationRequired' } },
    ])
    expect(seen).toHaveLength(1)
    connection.socket.destroy()
  })
})

test('a large body may take longer than the time limit while bytes arrive', async () => {
  const timeouts = { headersMs: 1_000, requestMs: 300, idleMs: 5_000 }
  const slow = await serve([upload], { timeouts })
  const connection = await open(slow.port)
  const count = 12
  connection.send(`${uploadHead}Content-Type: a/b\r\nContent-Length: ${count * 70_000}\r\n\r\n`)
  const begin = performance.now()
  let sent = 0
  const steps = setInterval(() => {
    connection.send(Buffer.alloc(70_000))
    if (++sent === count) clearInterval(steps)
  }, 50)
  expect(await connection.answers(1)).toMatchObject([{ status: 200, body: { bytes: count * 70_000 } }])
  expect(performance.now() - begin).toBeGreaterThan(timeouts.requestMs)
  connection.socket.destroy()
  await slow.close(0)
})

describe('a binary response', () => {
  test('of bytes has its type, length and headers', async () => {
    output = { encoding: 'image/png', headers: { ETag: '"x"' }, body: Buffer.from('bytes') }
    const { status, headers, text } = await raw()
    expect([status, text]).toEqual([200, 'bytes'])
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '5',
      'x-content-type-options': 'nosniff',
      etag: '"x"',
    })
  })

  test('may be a part of the body', async () => {
    const headers = { 'Content-Range': 'bytes 0-1/5', 'Content-Length': 2 }
    output = { encoding: 'a/b', status: 206, headers, body: Readable.from([Buffer.from('by')]) }
    expect(await raw()).toMatchObject({
      status: 206,
      text: 'by',
      headers: { 'content-range': 'bytes 0-1/5' },
    })
  })

  test('may have no body', async () => {
    output = { encoding: 'a/b', status: 304, headers: { ETag: '"x"' } }
    expect(await raw()).toMatchObject({ status: 304, text: '', headers: { etag: '"x"' } })
  })

  test('to HEAD has the headers of GET, and its stream is not read', async () => {
    const body = Readable.from([Buffer.from('bytes')])
    output = { encoding: 'a/b', headers: { 'Content-Length': 5 }, body }
    const closed = new Promise((resolve) => body.on('close', resolve))
    const answer = await get({}, 'HEAD')
    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '5'])
    await closed
    expect(body.readableDidRead).toBe(false)
  })

  test('stops when the client disconnects', async () => {
    const body = new Readable({ read: () => void body.push(Buffer.alloc(65_536)) })
    output = { encoding: 'a/b', body }
    const connection = await open(server.port)
    connection.send('GET /xrpc/com.test.download HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(connection.socket, 'data')
    const closed = new Promise((resolve) => body.on('close', resolve))
    connection.socket.destroy()
    await closed
    await server.settled()
    expect(server.failures).toEqual([])
  })

  test('that fails midway is cut, and reported', async () => {
    output = {
      encoding: 'a/b',
      body: (async function* () {
        yield Buffer.from('half')
        throw new Error('disk')
      })(),
    }
    await expect(get()).rejects.toThrow()
    expect(server.failures.splice(0)).toMatchObject([{ message: 'disk' }])
  })

  test('whose data were rolled back is released', async () => {
    const body = Readable.from([Buffer.from('bytes')])
    output = { encoding: 'a/b', body }
    const failing = await serve([download], {
      watchReads: () => () => Promise.reject(protocolError('NotEnoughResources')),
    })
    expect(await failing.fetch('/xrpc/com.test.download')).toMatchObject({ status: 503 })
    expect(body.destroyed).toBe(true)
    await failing.close(0)
  })
})

async function raw() {
  const answer = await fetch(`${server.url}/xrpc/com.test.download`)
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    text: await answer.text(),
  }
}
