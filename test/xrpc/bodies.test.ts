/** Bodies of procedures. */
import { once } from 'node:events'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { l } from '@atproto/lex-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange, open } from '../support/server/raw-http.ts'
import { json, method, serve, type TinyServer } from '../support/server/tiny-server.ts'

const nothing = l.params({})
const anything = l.jsonPayload({ seen: l.lexValue() })

/** Returns its input. */
const note = method(
  {
    main: l.procedure(
      'com.test.note',
      nothing,
      l.jsonPayload({
        text: l.string({ maxLength: 1_000_000 }),
        count: l.optional(l.integer()),
        loose: l.optional(l.lexMap()),
        inner: l.optional(l.object({ known: l.string() })),
      }),
      anything,
    ),
  },
  { auth: 'none', handler: ({ input }) => ({ seen: input }) },
)

const optional = method(
  {
    main: l.procedure(
      'com.test.optional',
      nothing,
      l.jsonPayload({ text: l.optional(l.string()) }),
      anything,
    ),
  },
  { auth: 'none', handler: ({ input }) => ({ seen: input }) },
)

const large = method(
  { main: l.procedure('com.test.large', nothing, l.jsonPayload({ text: l.string() }), l.payload()) },
  { auth: 'none', maxBody: 1_000_000, handler: () => {} },
)

const bare = method(
  { main: l.procedure('com.test.bare', nothing, l.payload(), l.payload()) },
  { auth: 'none', handler: ({ input }) => expect(input).toBeUndefined() },
)

const guarded = method(
  { main: l.procedure('com.test.guarded', nothing, l.jsonPayload({ text: l.string() }), l.payload()) },
  { auth: 'user', handler: () => {} },
)

let server: TinyServer
beforeAll(async () => {
  server = await serve([note, optional, large, bare, guarded])
})
afterAll(() => server.close())

const post = (body: RequestInit['body'], headers: Record<string, string> = {}, name = 'note') =>
  server.fetch(`/xrpc/com.test.${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  })
const refused = { status: 400, body: { error: 'InvalidRequest' } }
const tooLarge = { status: 413, body: { error: 'PayloadTooLarge' } }
const hello = '{"text":"hello"}'

/** Returns a JSON body of exactly this many bytes. */
const ofSize = (bytes: number) =>
  JSON.stringify({ text: 'x'.repeat(bytes - JSON.stringify({ text: '' }).length) })

describe('Content-Type', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'APPLICATION/JSON',
    'application/json ; profile=x',
    'application/json;',
  ])('%s is accepted as JSON', async (type) => {
    expect(await post(hello, { 'content-type': type })).toMatchObject({ status: 200 })
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json5',
    'application/ld+json',
    'text/json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json, application/json',
    ';',
  ])('%s is refused', async (type) => {
    const answer = await post(hello, { 'content-type': type })
    expect(answer).toMatchObject(refused)
    expect(answer.body.message).toContain('Content-Type')
  })

  test('is required', async () => {
    const answer = await exchange(
      server.port,
      `POST /xrpc/com.test.note HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${hello.length}\r\n\r\n${hello}`,
    )
    expect(answer).toMatchObject(refused)
  })
})

describe('a body', () => {
  test.each([
    ['of a missing request body', undefined],
    ['that is empty', ''],
    ['of white space only', '  \n'],
    ['cut short', '{"text":"he'],
    ['with single quotes', "{'text':'hello'}"],
    ['with a trailing comma', '{"text":"hello",}'],
    ['with a comment', '{"text":"hello"}//'],
    ['of two values', `${hello}${hello}`],
    ['of a number like NaN', '{"text":"a","count":NaN}'],
    ['of an array', '[]'],
    ['of null', 'null'],
    ['of a string', '"hello"'],
    ['of a number', '1'],
    ['without a required property', '{}'],
    ['with a property of another type', '{"text":1}'],
    ['with a fraction for an integer', '{"text":"a","count":1.5}'],
    ['with an infinite number', '{"text":"a","count":1e400}'],
    ['with NUL in a string', '{"text":"a\\u0000b"}'],
    ['with an escaped lone surrogate', '{"text":"\\ud800"}'],
    ['with a lone surrogate in a key of unknown data', '{"text":"a","loose":{"\\ud800":1}}'],
    ['nested deeper than the limit', `{"text":"a","loose":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`],
    ['that is a deep array', `${'['.repeat(60_000)}${']'.repeat(60_000)}`],
    [
      'with deep nesting where the lexicon has a flat object',
      `{"text":"a","inner":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,
    ],
    [
      'with deep nesting where the lexicon has a string',
      `{"text":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,
    ],
  ])('%s is refused', async (_, body) => {
    expect(await post(body)).toMatchObject(refused)
    expect(server.failures).toEqual([])
  })

  test('that is not UTF-8 is refused', async () => {
    const latin1 = Buffer.from('{"text":"caf\xe9"}', 'latin1')
    const surrogate = Buffer.from([...Buffer.from('{"text":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')])
    const utf16 = Buffer.from(hello, 'utf16le')
    for (const bytes of [latin1, surrogate, utf16]) expect(await post(bytes)).toMatchObject(refused)
  })

  test('may start with a byte order mark', async () => {
    expect(await post(`\ufeff${hello}`)).toMatchObject({ status: 200 })
  })

  test('counts as {} when it is missing, if no property is required', async () => {
    for (const text of [undefined, '', '{}'])
      expect(await post(text, {}, 'optional')).toMatchObject({ status: 200, body: { seen: {} } })
    expect(await post(undefined, {})).toMatchObject(refused)
  })

  test('may arrive in chunks, without a length', async () => {
    const connection = await open(server.port)
    connection.send(
      'POST /xrpc/com.test.note HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n',
    )
    connection.send('Transfer-Encoding: chunked\r\n\r\n7\r\n{"text"\r\n')
    connection.send('8\r\n:"h\u00e9llo\r\n2\r\n"}\r\n0\r\n\r\n')
    const [answer] = await connection.answers(1)
    expect(answer).toMatchObject({ status: 200, body: { seen: { text: 'h\u00e9llo' } } })
    connection.socket.destroy()
  })

  test('with Expect: 100-continue is requested', async () => {
    const connection = await open(server.port)
    connection.send(
      'POST /xrpc/com.test.note HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n',
    )
    connection.send(`Content-Length: ${hello.length}\r\nExpect: 100-continue\r\n\r\n`)
    const [interim] = (await once(connection.socket, 'data')) as [Buffer]
    expect(interim.toString()).toContain('100 Continue')
    connection.send(hello)
    expect(await connection.answers(1)).toMatchObject([{ status: 200 }])
    connection.socket.destroy()
  })

  test('with an unknown expectation is accepted', async () => {
    const answer = await exchange(
      server.port,
      `POST /xrpc/com.test.bare HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\n\r\n`,
    )
    expect(answer.status).toBe(200)
  })
})

describe('properties', () => {
  test('that the lexicon does not declare are ignored at every depth', async () => {
    const { body } = await post('{"text":"a","foo":1,"hasOwnProperty":2,"inner":{"known":"b","foo":1}}')
    expect(body.seen).toEqual({ text: 'a', inner: { known: 'b' } })
  })

  test('named __proto__ are removed', async () => {
    const poison = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'
    const { status, text } = await post(
      `{"text":"a",${poison},"inner":{"known":"b",${poison}},"loose":{${poison}}}`,
    )
    expect(status).toBe(200)
    expect(text).not.toContain('__proto__')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(JSON.parse(text).seen.inner).toEqual({ known: 'b' })
  })

  test('inside data of type unknown are kept', async () => {
    const loose = { any: [1, { deep: 'é\u0000' }], $type: 'com.test.note' }
    expect((await post(JSON.stringify({ text: 'a', loose }))).body.seen.loose).toEqual(loose)
  })

  test('that are repeated have their last value', async () => {
    expect((await post('{"text":"a","text":"b"}')).body.seen.text).toBe('b')
  })
})

describe('where no input is declared', () => {
  test.each([
    ['no body', {}],
    ['an empty body', { body: '' }],
    ['{}', json({})],
    ['a form', { body: new URLSearchParams({ a: 'b' }) }],
    ['invalid JSON', { body: '{', headers: { 'content-type': 'application/json' } }],
  ])('%s is accepted', async (_, init: RequestInit) => {
    const answer = await server.fetch('/xrpc/com.test.bare', { ...init, method: 'POST' })
    expect(answer).toMatchObject({ status: 200, text: '' })
  })
})

describe('size', () => {
  test('is limited to 150 kB', async () => {
    expect(await post(ofSize(150_000))).toMatchObject({ status: 200 })
    expect(await post(ofSize(150_001))).toMatchObject(tooLarge)
  })

  test('is limited to maxBody where the method sets it', async () => {
    expect(await post(ofSize(1_000_000), {}, 'large')).toMatchObject({ status: 200 })
    expect(await post(ofSize(1_000_001), {}, 'large')).toMatchObject(tooLarge)
  })

  test('is counted in bytes of UTF-8', async () => {
    expect(await post(JSON.stringify({ text: 'é'.repeat(76_000) }))).toMatchObject(tooLarge)
  })

  test('is limited without Content-Length, too', async () => {
    const connection = await open(server.port)
    connection.send(
      'POST /xrpc/com.test.note HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n',
    )
    connection.send('Transfer-Encoding: chunked\r\n\r\n')
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    connection.send(chunk.repeat(3))
    // The response comes although the body never ends.
    expect(await connection.answers(1)).toMatchObject([tooLarge])
    // The rest of the body is not taken for a request.
    connection.send(`${chunk}0\r\n\r\nGET /xrpc/_health HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(await connection.answers(2)).toMatchObject([tooLarge, { status: 200 }])
    connection.socket.destroy()
  })

  test('over the limit by Content-Length is refused before the body arrives', async () => {
    const connection = await open(server.port)
    connection.send(
      'POST /xrpc/com.test.note HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n',
    )
    connection.send('Content-Length: 99999999\r\n\r\n')
    expect(await connection.answers(1)).toMatchObject([tooLarge])
    connection.socket.destroy()
  })

  test('no body is read before the credentials are checked', async () => {
    const connection = await open(server.port)
    connection.send(
      'POST /xrpc/com.test.guarded HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n',
    )
    connection.send('Content-Length: 100000\r\n\r\n')
    expect(await connection.answers(1)).toMatchObject([{ status: 401 }])
    connection.socket.destroy()
  })
})

describe('a compressed body', () => {
  // At full quality Brotli takes seconds for the large body, and the kept connection times out meanwhile.
  const brotli = (bytes: string | Uint8Array) =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
  const packed = { gzip: gzipSync, deflate: deflateSync, br: brotli }
  const codings = Object.entries(packed)

  test.each(codings)('in %s is decompressed', async (coding, pack) => {
    const answer = await post(pack(hello), { 'content-encoding': coding.toUpperCase() })
    expect(answer.body).toEqual({ seen: { text: 'hello' } })
  })

  test.each(codings)('in %s that decompresses to more than the limit is refused', async (coding, pack) => {
    const bomb = pack(Buffer.alloc(50_000_000, ' '))
    expect(bomb.length).toBeLessThan(150_000)
    expect(await post(bomb, { 'content-encoding': coding })).toMatchObject(tooLarge)
  })

  test.each(codings)('in %s is limited to 150 kB decompressed', async (coding, pack) => {
    const headers = { 'content-encoding': coding }
    expect(await post(pack(ofSize(150_000)), headers)).toMatchObject({ status: 200 })
    expect(await post(pack(ofSize(150_001)), headers)).toMatchObject(tooLarge)
  })

  test.each(codings)('in %s that is corrupt is refused', async (coding, pack) => {
    const bytes = pack(hello)
    expect(await post(bytes.subarray(0, -5), { 'content-encoding': coding })).toMatchObject(refused)
    expect(await post(hello, { 'content-encoding': coding })).toMatchObject(refused)
  })

  test.each(['zstd', 'compress', 'gzip, gzip', 'rot13'])('in unsupported %s is refused', async (coding) => {
    expect(await post(hello, { 'content-encoding': coding })).toMatchObject(refused)
  })
})
