/** Responses: declared properties, error bodies and headers. */
import { gunzipSync } from 'node:zlib'
import { l } from '@atproto/lex-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { XrpcError } from '../../server/platform/xrpc/xrpc-errors.ts'
import { exchange } from '../support/server/raw-http.ts'
import { json, method, serve, type TinyMethod, type TinyServer } from '../support/server/tiny-server.ts'

const nothing = l.params({})

/** A query whose handler ignores its types, as a bug would. */
function answering(name: string, output: l.Payload, handler: () => unknown, auth: 'none' | 'user' = 'none') {
  const main = l.query(`com.test.${name}`, nothing, output)
  return method({ main }, { auth, handler: handler as () => never }) as TinyMethod
}

const declared = l.jsonPayload({
  name: l.string(),
  inner: l.optional(l.object({ name: l.string() })),
  list: l.optional(l.array(l.object({ name: l.string() }))),
  free: l.optional(l.lexMap()),
  maybe: l.optional(l.nullable(l.string())),
})

const row = { name: 'alice', hash: 'SECRET', maybe: null, absent: undefined }
const secret = 'SELECT * FROM accounts -- /home/alice'

const methods = [
  answering('row', declared, () => ({
    ...row,
    inner: row,
    list: [row, row],
    free: { kept: { hash: 'free' } },
  })),
  answering('wrongType', declared, () => ({ name: { hash: 'SECRET' }, inner: [row], list: row })),
  answering('small', l.jsonPayload({ text: l.string() }), () => ({ text: 'x'.repeat(1000) })),
  answering('large', l.jsonPayload({ text: l.string() }), () => ({ text: 'x'.repeat(10_000) })),
  answering('empty', l.payload(), () => ({ hash: 'SECRET' })),
  answering('private', l.jsonPayload({ name: l.string() }), () => row, 'user'),
  answering('throws', declared, () => {
    throw new Error(secret)
  }),
  answering('throwsText', declared, () => {
    throw secret
  }),
  answering('throwsNothing', declared, () => {
    throw undefined
  }),
  answering('rejects', declared, async () => Promise.reject(new TypeError(secret))),
  answering('returnsNothing', declared, () => undefined),
  answering('returnsBigInt', declared, () => ({ name: 'a', free: { big: 1n } })),
  method(
    { main: l.procedure('com.test.fails', nothing, l.jsonPayload({ name: l.string() }), l.payload()) },
    {
      auth: 'none',
      handler({ input }) {
        throw new XrpcError(input.name, 'what to do next')
      },
    },
  ),
]

let server: TinyServer
beforeAll(async () => {
  server = await serve(methods)
})
afterAll(() => server.close())

const get = (name: string, init?: RequestInit) => server.fetch(`/xrpc/com.test.${name}`, init)

describe('output', () => {
  test('contains only properties that the lexicon declares', async () => {
    const { body } = await get('row')
    expect(body).toEqual({
      name: 'alice',
      maybe: null,
      inner: { name: 'alice' },
      list: [{ name: 'alice' }, { name: 'alice' }],
      free: { kept: { hash: 'free' } },
    })
  })

  test('of the wrong type loses its content', async () => {
    const { text } = await get('wrongType')
    expect(text).not.toContain('SECRET')
  })

  test('of a method without an output is not sent', async () => {
    const answer = await get('empty')
    expect(answer).toMatchObject({ status: 200, text: '' })
    expect(answer.headers.get('content-length')).toBe('0')
    expect(answer.headers.get('content-type')).toBeNull()
  })

  test('is JSON with its Content-Type', async () => {
    const { headers } = await get('row')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-powered-by')).toBeNull()
  })
})

describe('a response', () => {
  test('waits until all data that the handler read is durable', async () => {
    const onDisk = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const events: string[] = []
    const careful = await serve(methods, {
      watchReads: () => async () => {
        asked.resolve()
        await onDisk.promise
        events.push('on disk')
      },
    })
    const answer = careful.fetch('/xrpc/com.test.row').finally(() => events.push('answered'))
    await asked.promise
    // A round trip of another request is longer than a response that does not wait.
    await careful.fetch('/xrpc/_health')
    onDisk.resolve()
    expect((await answer).status).toBe(200)
    expect(events).toEqual(['on disk', 'answered'])
    await careful.close()
  })

  test('is an error if data that the handler read cannot become durable', async () => {
    const unlucky = await serve(methods, { watchReads: () => () => Promise.reject(new Error('no')) })
    const answer = await unlucky.fetch('/xrpc/com.test.row')
    expect(answer.text).toBe('{"error":"InternalServerError"}')
    await unlucky.close()
  })
})

describe('caching', () => {
  const cacheHeaders = async (name: string, init?: RequestInit) => {
    const { headers } = await get(name, init)
    return [headers.get('cache-control'), headers.get('vary')]
  }
  const isPrivate = ['private, no-store', 'Authorization']

  test('a public response may be cached', async () => {
    expect(await cacheHeaders('row')).toEqual([null, null])
  })

  test('an authenticated response is private', async () => {
    const as = { headers: { authorization: 'Bearer alice' } }
    expect(await cacheHeaders('private', as)).toEqual(isPrivate)
    expect(await cacheHeaders('row', as)).toEqual(isPrivate)
  })

  test('errors and responses of procedures are private', async () => {
    expect(await cacheHeaders('private')).toEqual(isPrivate)
    expect(await cacheHeaders('fails', json({ name: 'InvalidRequest' }))).toEqual(isPrivate)
  })
})

describe('compression', () => {
  const raw = async (name: string, accepted: string) => {
    const answer = await fetch(`${server.url}/xrpc/com.test.${name}`, {
      headers: { 'accept-encoding': accepted },
    })
    return { coding: answer.headers.get('content-encoding'), vary: answer.headers.get('vary'), answer }
  }

  test.each(['gzip', 'br', 'deflate'])('of a large response with %s', async (accepted) => {
    const { coding, vary, answer } = await raw('large', accepted)
    expect([coding, vary]).toEqual([accepted, 'Accept-Encoding'])
    expect(((await answer.json()) as { text: string }).text).toHaveLength(10_000)
  })

  test('sends fewer bytes', async () => {
    const request = 'GET /xrpc/com.test.large HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n'
    const bytes = await new Promise<Buffer>((resolve) => {
      import('node:net').then(({ connect }) => {
        const chunks: Buffer[] = []
        const socket = connect(server.port, '127.0.0.1', () => socket.write(request))
        socket.on('data', (chunk) => chunks.push(chunk)).on('close', () => resolve(Buffer.concat(chunks)))
      })
    })
    const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
    expect(body.length).toBeLessThan(1000)
    expect(JSON.parse(gunzipSync(body).toString()).text).toHaveLength(10_000)
  })

  test.each([
    ['a small response', 'small', 'gzip'],
    ['a response without Accept-Encoding', 'large', 'identity'],
  ])('skips %s', async (_, name, accepted) => {
    const { coding, answer } = await raw(name, accepted)
    expect(coding).toBeNull()
    expect(await answer.json()).toHaveProperty('text')
  })

  test('of a private response keeps its cache headers', async () => {
    const answer = await get('large', { headers: { authorization: 'Bearer alice' } })
    expect(answer.headers.get('vary')).toBe('Authorization, Accept-Encoding')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })
})

describe('errors', () => {
  test.each(['throws', 'throwsText', 'throwsNothing', 'rejects', 'returnsNothing', 'returnsBigInt'])(
    'of handlers have status 500 and no details (%s)',
    async (name) => {
      const before = server.failures.length
      const answer = await get(name)
      expect(answer).toMatchObject({ status: 500, body: { error: 'InternalServerError' } })
      expect(answer.text).toBe('{"error":"InternalServerError"}')
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(server.failures).toHaveLength(before + 1)
    },
  )

  test.each([
    [400, ['InvalidRequest', 'InvalidToken', 'ExpiredToken', 'InvalidHandle', 'AnythingElse']],
    [401, ['AuthMissing', 'AuthenticationRequired', 'AuthFactorTokenRequired']],
    [401, ['AccountTakedown', 'AccountSuspended', 'AccountDeactivated']],
    [403, ['Forbidden', 'AccountNotFound']],
    [413, ['PayloadTooLarge']],
    [429, ['RateLimitExceeded']],
    [500, ['InternalServerError']],
    [501, ['MethodNotImplemented']],
    [503, ['NotEnoughResources']],
  ])('have status %i for %s', async (status, names) => {
    for (const name of names) {
      const answer = await get('fails', json({ name }))
      expect(answer.body).toEqual({ error: name, message: 'what to do next' })
      expect(answer.status).toBe(status)
      expect(answer.headers.get('www-authenticate') !== null).toBe(status === 401)
    }
  })

  test('without a message contain only their name', async () => {
    expect((await get('private')).body).toEqual({ error: 'AuthMissing' })
  })

  test('outside methods are JSON, not a page of the framework', async () => {
    const broken = await serve([], {
      health: () => {
        throw new Error(secret)
      },
    })
    const answer = await broken.fetch('/xrpc/_health')
    expect(answer).toMatchObject({ status: 500, text: '{"error":"InternalServerError"}' })
    await broken.close()
  })

  test('of lower layers are mapped to XRPC errors', async () => {
    const translating = await serve(methods, {
      translate: (error) =>
        error instanceof TypeError ? new XrpcError('NotEnoughResources', 'later') : undefined,
    })
    expect(await translating.fetch('/xrpc/com.test.rejects')).toMatchObject({
      status: 503,
      body: { error: 'NotEnoughResources', message: 'later' },
    })
    expect(translating.failures).toEqual([])
    await translating.close()
  })
})

describe('malformed HTTP', () => {
  test.each([
    ['garbage', 'hello\r\n\r\n', 400],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01', 400],
    ['an unknown version', 'GET /xrpc/_health HTTP/9.9\r\nHost: localhost\r\n\r\n', 400],
    ['a header without a colon', 'GET /xrpc/_health HTTP/1.1\r\nHost localhost\r\n\r\n', 400],
    [
      'two Content-Length headers',
      'POST /xrpc/com.test.fails HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'Content-Length with a chunked body',
      'POST /xrpc/com.test.fails HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a long URL', `GET /xrpc/_health?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
    [
      'a long header',
      `GET /xrpc/_health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
  ])('%s gets a JSON error', async (_, request, status) => {
    expect(await exchange(server.port, request)).toMatchObject({
      status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        connection: 'close',
      },
      body: { error: 'InvalidRequest', message: expect.any(String) },
    })
  })
})
