import type http from 'node:http'
import { expect, test } from 'vitest'
import { createDidResolver, UnresolvableDid } from '../../../../server/identity/did/resolver.ts'
import { documentServer, loopbackServer } from './support.ts'

const PLC = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const noon = new Date('2026-01-01T12:00:00.000Z')
const now = () => noon

function numberedDid(n: number): string {
  const letters = [...String(n).padStart(4, '0')].map((digit) => 'abcdefghij'[Number(digit)])
  return `did:plc:${'a'.repeat(20)}${letters.join('')}`
}

test('did:web: resolved at its host', async () => {
  const documents: Record<string, unknown> = {}
  const server = await documentServer(documents)
  const did = `did:web:localhost%3A${server.port}`
  documents['/.well-known/did.json'] = { id: did, alsoKnownAs: ['at://alice.test'] }
  const resolve = createDidResolver({ allowPrivate: true, now })
  expect(await resolve(did)).toMatchObject({ id: did, alsoKnownAs: ['at://alice.test'] })
})

test('did:web: private addresses are refused unless the owner allows them', async () => {
  const server = await documentServer({})
  const resolve = createDidResolver({ allowPrivate: false, now })
  for (const host of ['localhost', '127.0.0.1', '127.1', '10.0.0.1']) {
    const request = resolve(`did:web:${host}%3A${server.port}`)
    await expect(request).rejects.toThrow(UnresolvableDid)
    await expect(request).rejects.toThrow('not a public address')
  }
  expect(server.connections()).toBe(0)
})

test.each([
  'did:web:localhost:path',
  'did:web:localhost%2Fpath',
  'did:web:user%40localhost',
  'did:web:localhost%3A80%3A90',
  'did:web:localhost%3A999999',
  'did:web:localhost%253A80',
  'did:web:localhost%3Fquery',
  'did:web:[::1]',
  'did:web:',
  'did:web:..',
  'did:plc:short',
  'did:plc:EWVI7NXZYOUN6ZHXRHS64OIZ',
  'did:plc:../../../../../../etc/pas',
  'did:key:zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo',
  'not a did',
  '',
])('%j does not resolve, and causes no request', async (did) => {
  const directory = await documentServer({})
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: true, now })
  await expect(resolve(did)).rejects.toThrow(UnresolvableDid)
  expect(directory.requests()).toBe(0)
})

test('did:plc: resolved by the configured directory, also on this machine', async () => {
  const directory = await documentServer({ [`/${PLC}`]: { id: PLC } })
  for (const plcUrl of [directory.origin, `${directory.origin}/`]) {
    expect((await createDidResolver({ plcUrl, allowPrivate: false, now })(PLC)).id).toBe(PLC)
  }
  const without = createDidResolver({ allowPrivate: true, now })
  await expect(without(PLC)).rejects.toThrow('no did:plc directory is configured')
})

test('local documents come first and are never cached', async () => {
  const directory = await documentServer({ [`/${PLC}`]: { id: PLC, alsoKnownAs: ['at://stale.test'] } })
  let handle = 'one.test'
  const local = (did: string) => (did === PLC ? { id: did, alsoKnownAs: [`at://${handle}`] } : undefined)
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now, local })
  expect((await resolve(PLC)).alsoKnownAs).toEqual(['at://one.test'])
  handle = 'two.test'
  expect((await resolve(PLC)).alsoKnownAs).toEqual(['at://two.test'])
  expect(directory.requests()).toBe(0)
})

test('a document is cached for five minutes; maxAgeMs: 0 looks it up again', async () => {
  const directory = await documentServer({ [`/${PLC}`]: { id: PLC } })
  let time = noon.getTime()
  const resolve = createDidResolver({
    plcUrl: directory.origin,
    allowPrivate: false,
    now: () => new Date(time),
  })
  await resolve(PLC)
  time += 5 * 60_000 - 1
  await resolve(PLC)
  expect(directory.requests()).toBe(1)
  time += 1
  await resolve(PLC)
  expect(directory.requests()).toBe(2)
  await resolve(PLC, { maxAgeMs: 0 })
  await resolve(PLC)
  expect(directory.requests()).toBe(3)
})

test('a failed look-up is cached for ten seconds', async () => {
  const documents: Record<string, unknown> = {}
  const directory = await documentServer(documents)
  let time = noon.getTime()
  const clock = () => new Date(time)
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now: clock })
  await expect(resolve(PLC)).rejects.toThrow('answered 404')
  documents[`/${PLC}`] = { id: PLC }
  time += 9_999
  await expect(resolve(PLC)).rejects.toThrow('answered 404')
  expect(directory.requests()).toBe(1)
  time += 1
  await expect(resolve(PLC)).resolves.toMatchObject({ id: PLC })
})

test('a failed look-up is repeated when no cached result is accepted', async () => {
  const documents: Record<string, unknown> = {}
  const directory = await documentServer(documents)
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now })
  await expect(resolve(PLC)).rejects.toThrow('answered 404')
  documents[`/${PLC}`] = { id: PLC }
  await expect(resolve(PLC, { maxAgeMs: 0 })).resolves.toMatchObject({ id: PLC })
  await expect(resolve(PLC)).resolves.toMatchObject({ id: PLC })
})

test('failed look-ups do not evict documents', async () => {
  const directory = await loopbackServer((request, response) => {
    const did = decodeURIComponent(request.url ?? '').slice(1)
    if (did !== PLC) response.statusCode = 404
    response.end(JSON.stringify({ id: did }))
  })
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now })
  await resolve(PLC)
  for (let n = 0; n < 501; n++) await expect(resolve(numberedDid(n))).rejects.toThrow(UnresolvableDid)
  const before = directory.connections()
  await resolve(PLC)
  expect(directory.connections()).toBe(before)
})

test('concurrent look-ups of one DID share a request', async () => {
  const directory = await documentServer({ [`/${PLC}`]: { id: PLC } })
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now })
  const documents = await Promise.all(Array.from({ length: 20 }, () => resolve(PLC)))
  expect(new Set(documents).size).toBe(1)
  expect(directory.requests()).toBe(1)
})

test('concurrent look-ups that fail share a request too', async () => {
  const directory = await documentServer({})
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now })
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => resolve(PLC)))
  expect(results.every(({ status }) => status === 'rejected')).toBe(true)
  expect(directory.requests()).toBe(1)
})

test('a caller that stops waiting does not stop the look-up of others', async () => {
  const received = Promise.withResolvers<http.ServerResponse>()
  const directory = await loopbackServer((_, response) => received.resolve(response))
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now })
  const stop = new AbortController()
  const impatient = resolve(PLC, { signal: stop.signal })
  const patient = resolve(PLC)
  const response = await received.promise
  await expect(resolve(PLC, { waitMs: 1 })).rejects.toThrow('no response yet')
  stop.abort()
  await expect(impatient).rejects.toThrow(UnresolvableDid)
  response.end(JSON.stringify({ id: PLC }))
  await expect(patient).resolves.toMatchObject({ id: PLC })
  expect(directory.connections()).toBe(1)
})

test('every look-up ends when the resolver is stopped', async () => {
  const stop = new AbortController()
  const directory = await loopbackServer(() => stop.abort())
  const { signal } = stop
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now, signal })
  await expect(resolve(PLC)).rejects.toThrow(UnresolvableDid)
  await expect(resolve(PLC, { maxAgeMs: 0 })).rejects.toThrow(UnresolvableDid)
})

test('the fallback is used in an outage only, and is given the last document', async () => {
  let answer: number | undefined = 200
  const directory = await loopbackServer((_, response) => {
    if (answer === undefined) return response.destroy()
    response.statusCode = answer
    return response.end(JSON.stringify({ id: PLC, alsoKnownAs: ['at://found.test'] }))
  })
  const stales: unknown[] = []
  const substitute = { id: PLC, alsoKnownAs: ['at://substitute.test'] }
  const resolve = createDidResolver({
    plcUrl: directory.origin,
    allowPrivate: false,
    now,
    fallback: (_, stale) => {
      stales.push(stale)
      return substitute
    },
  })
  answer = 404
  await expect(resolve(PLC)).rejects.toThrow('answered 404')
  for (answer of [500, 503, 429, undefined]) expect(await resolve(PLC, { maxAgeMs: 0 })).toBe(substitute)
  answer = 200
  const found = await resolve(PLC, { maxAgeMs: 0 })
  answer = 500
  expect(await resolve(PLC, { maxAgeMs: 0 })).toBe(substitute)
  expect(stales).toEqual([undefined, undefined, undefined, undefined, found])
})

test('five hundred documents are cached; the least recently used one is evicted', async () => {
  const directory = await loopbackServer((request, response) => {
    response.end(JSON.stringify({ id: decodeURIComponent(request.url ?? '').slice(1) }))
  })
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now })
  const did = numberedDid
  for (let n = 0; n < 500; n++) await resolve(did(n))
  expect(directory.connections()).toBe(500)
  await resolve(did(0))
  await resolve(did(500))
  expect(directory.connections()).toBe(501)
  await resolve(did(0))
  expect(directory.connections()).toBe(501)
  await resolve(did(1))
  expect(directory.connections()).toBe(502)
})

test.each([
  ['another DID', JSON.stringify({ id: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' })],
  ['no id', '{}'],
  ['a list', '[]'],
  ['no JSON', '<html>secret</html>'],
  ['nothing', ''],
  ['far too much', JSON.stringify({ id: PLC, filler: 'x'.repeat(70_000) })],
])('a document with %s is refused', async (_, body) => {
  const directory = await loopbackServer((_, response) => response.end(body))
  const resolve = createDidResolver({ plcUrl: directory.origin, allowPrivate: false, now })
  const error = await resolve(PLC).catch((error: Error) => error)
  expect(error).toBeInstanceOf(UnresolvableDid)
  expect((error as Error).message).not.toContain('secret')
})
