/** Names, verbs and parameters. */
import { l } from '@atproto/lex-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange } from '../support/server/raw-http.ts'
import { json, method, serve, type TinyServer } from '../support/server/tiny-server.ts'

const nothing = l.params({})

const greeting = method(
  {
    main: l.query(
      'com.test.greeting',
      l.params({
        name: l.optional(l.string({ maxLength: 10 })),
        reasons: l.optional(l.array(l.string())),
        limit: l.withDefault(l.integer({ minimum: 1, maximum: 100 }), 50),
        loud: l.optional(l.boolean()),
      }),
      l.jsonPayload({ params: l.lexValue() }),
    ),
  },
  { auth: 'none', handler: ({ params }) => ({ params }) },
)

const store = method(
  {
    main: l.procedure(
      'com.test.store',
      nothing,
      l.jsonPayload({ text: l.string() }),
      l.jsonPayload({ text: l.string() }),
    ),
  },
  { auth: 'none', handler: ({ input }) => input },
)

const touch = method(
  { main: l.procedure('com.test.touch', nothing, l.payload(), l.payload()) },
  { auth: 'none', handler: () => {} },
)

let server: TinyServer
beforeAll(async () => {
  server = await serve([greeting, store, touch])
})
afterAll(() => server.close())

describe('verbs', () => {
  test('a query is called with GET', async () => {
    expect(await server.fetch('/xrpc/com.test.greeting')).toMatchObject({ status: 200 })
  })

  test('HEAD on a query returns the headers of GET without the body', async () => {
    const head = await server.fetch('/xrpc/com.test.greeting', { method: 'HEAD' })
    const get = await server.fetch('/xrpc/com.test.greeting')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('a query refuses %s', async (verb) => {
    const answer = await server.fetch('/xrpc/com.test.greeting', { method: verb })
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
  })

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])('a procedure refuses %s', async (verb) => {
    const answer = await server.fetch('/xrpc/com.test.store', { method: verb })
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    expect(answer.headers.get('allow')).toBe('POST')
  })

  test('a procedure refuses HEAD without a body', async () => {
    const answer = await server.fetch('/xrpc/com.test.store', { method: 'HEAD' })
    expect(answer).toMatchObject({ status: 400, text: '' })
  })
})

describe('names', () => {
  test.each(['com.test.unknown', 'com.test.greeting.more', 'org.example.a'])(
    '%s is not implemented',
    async (nsid) => {
      const answer = await server.fetch(`/xrpc/${nsid}`)
      const message = `This server does not answer ${nsid}`
      expect(answer).toMatchObject({ status: 501, body: { error: 'MethodNotImplemented', message } })
      expect(await server.fetch(`/xrpc/${nsid}`, json({}))).toMatchObject({ status: 501 })
    },
  )

  test.each([
    '/xrpc/',
    '/xrpc/com',
    '/xrpc/com.test',
    '/xrpc/com.test.greeting/',
    '/xrpc/com.test.greeting/more',
    '/xrpc//com.test.greeting',
    '/xrpc/com.test.%67reeting',
    '/xrpc/__proto__',
    '/xrpc/constructor',
    '/xrpc/com.test.greeting%00',
    '/xrpc/..%2f..%2fetc%2fpasswd',
    `/xrpc/com.test.${'a'.repeat(400)}`,
  ])('%s is not an NSID', async (path) => {
    const answer = await exchange(server.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(answer).toMatchObject({
      status: 400,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: { error: 'InvalidRequest', message: expect.any(String) },
    })
  })

  test.each(['/xrpc', '/', '/index.html', '/XRPC/com.test.greeting', '//127.0.0.1/xrpc/com.test.greeting'])(
    '%s fails with PathNotFound',
    async (path) => {
      const answer = await exchange(server.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect(answer).toMatchObject({
        status: 404,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: { error: 'PathNotFound', message: expect.any(String) },
      })
    },
  )
})

describe('parameters', () => {
  const ask = (query: string) => server.fetch(`/xrpc/com.test.greeting?${query}`)

  test('are converted to the types of the lexicon', async () => {
    const { body } = await ask('name=1&limit=7&loud=true')
    expect(body.params).toEqual({ name: '1', limit: 7, loud: true })
  })

  test('of array type repeat their key', async () => {
    expect((await ask('reasons=like&reasons=reply')).body.params.reasons).toEqual(['like', 'reply'])
    expect((await ask('reasons=like')).body.params.reasons).toEqual(['like'])
  })

  test.each(['reasons[]', 'reasons[0]', 'limit[]'])('named %s are refused with their name', async (name) => {
    const answer = await ask(`${encodeURIComponent(name)}=1`)
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    expect(answer.body.message).toContain(name)
    expect((await ask('other[]=1')).status).toBe(200)
  })

  test.each([
    ['limit=many', 'limit must be an integer'],
    ['limit=101', 'limit may have at most 100'],
    [`name=${'a'.repeat(11)}`, 'name may have at most 10 bytes'],
  ])('%s: the refusal names the parameter in words', async (query, message) => {
    expect((await ask(query)).body).toEqual({ error: 'InvalidRequest', message })
  })

  test('are decoded, plus signs included', async () => {
    expect((await ask('name=%C3%A9+b')).body.params.name).toBe('é b')
  })

  test('that are absent or empty have their default value', async () => {
    expect((await ask('')).body.params).toEqual({ limit: 50 })
    expect((await ask('limit=')).body.params).toEqual({ limit: 50 })
  })

  test('that the lexicon does not declare are ignored', async () => {
    const answer = await ask('foo=1&foo=2&__proto__=x&constructor=y&toString=z&limit=2')
    expect(answer.body).toEqual({ params: { limit: 2 } })
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e400', 'limit'],
    ['limit=abc', 'limit'],
    ['limit=NaN', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['loud=maybe', 'loud'],
    ['name=12345678901', 'name'],
    ['name=a%00b', 'name'],
  ])('%s is refused with the name of the parameter', async (query, name) => {
    const answer = await ask(query)
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    expect(answer.body.message).toContain(name)
  })

  test('with malformed percent-encoding do not fail the call', async () => {
    expect((await ask('name=%ff&limit=%zz')).status).toBe(400)
    expect((await ask('name=%ff')).body.params.name).toBe('\ufffd')
  })
})
