/** Cached responses: queries that state which tables they read. */
import { l } from '@atproto/lex-schema'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { protocolError } from '../../server/platform/xrpc/xrpc-errors.ts'
import { method, serve, type TinyServer } from '../support/server/tiny-server.ts'

const echo = {
  main: l.query(
    'test.cache.echo',
    l.params({ text: l.optional(l.string()) }),
    l.jsonPayload({ calls: l.integer(), text: l.optional(l.string()), by: l.string(), origin: l.string() }),
  ),
}

let server: TinyServer
let calls: number
let version: number

beforeEach(async () => {
  calls = 0
  version = 0
  const counted = method(echo, {
    auth: 'user',
    reads: ['posts'],
    handler({ params, auth, caller }) {
      calls++
      if (params.text === 'fail') throw protocolError('InvalidRequest')
      const text = params.text === 'long' ? 'x'.repeat(5000) : params.text
      return { calls, text, by: auth.did, origin: caller.origin }
    },
  })
  server = await serve([counted], { versionOf: (tables) => (tables[0] === 'posts' ? version : 0) })
})
afterEach(() => server.close())

const call = (query = '', by = 'alice', headers: Record<string, string> = {}) =>
  server.fetch(`/xrpc/test.cache.echo${query}`, { headers: { authorization: `Bearer ${by}`, ...headers } })

describe('a query that states what it reads', () => {
  test('is answered from the cache until its tables change', async () => {
    const first = await call()
    expect(first.body).toMatchObject({ calls: 1 })
    expect((await call()).text).toBe(first.text)
    version++
    expect((await call()).body).toMatchObject({ calls: 2 })
  })

  test('is answered separately for each account, query and origin', async () => {
    expect((await call('?text=a')).body).toMatchObject({ calls: 1, text: 'a', by: 'alice' })
    expect((await call('?text=b')).body).toMatchObject({ calls: 2, text: 'b', by: 'alice' })
    expect((await call('?text=a', 'bob')).body).toMatchObject({ calls: 3, text: 'a', by: 'bob' })
    const local = await fetch(`http://localhost:${server.port}/xrpc/test.cache.echo?text=a`, {
      headers: { authorization: 'Bearer alice' },
    })
    expect(await local.json()).toMatchObject({ calls: 4, origin: `http://localhost:${server.port}` })
    expect((await call('?text=a')).body).toMatchObject({ calls: 1 })
  })

  test('is answered separately for other computers, as a proxy shows them', async () => {
    await call()
    expect((await call('', 'alice', { via: '1.1 proxy' })).body).toMatchObject({ calls: 2 })
    expect((await call()).body).toMatchObject({ calls: 1 })
  })

  test('is answered separately for pages of other sites, which its handler may refuse', async () => {
    await call()
    const page = { origin: 'https://other.example' }
    expect((await call('', 'alice', page)).body).toMatchObject({ calls: 2 })
    expect((await call()).body).toMatchObject({ calls: 1 })
  })

  test('requires credentials also when its response is cached', async () => {
    await call()
    expect(await server.fetch('/xrpc/test.cache.echo')).toMatchObject({ status: 401 })
    expect(calls).toBe(1)
  })

  test('is asked again after an error', async () => {
    expect(await call('?text=fail')).toMatchObject({ status: 400 })
    expect(await call('?text=fail')).toMatchObject({ status: 400 })
    expect(calls).toBe(2)
  })

  test('is sent compressed to clients that accept it, from the cache as well', async () => {
    const accepting = ['gzip', 'gzip, br', 'gzip;q=0.5', 'br;q=0, gzip']
    for (const encoding of [...accepting, 'identity', 'gzip;q=0', 'br, gzip; q=0.0', 'gzip ; q=0 , br']) {
      const { headers, body } = await call('?text=long', 'alice', { 'accept-encoding': encoding })
      expect(body).toMatchObject({ calls: 1, text: 'x'.repeat(5000) })
      expect(headers.get('content-encoding')).toBe(accepting.includes(encoding) ? 'gzip' : null)
      expect(headers.get('vary')).toBe('Authorization, Accept-Encoding')
    }
  })

  test('is answered to HEAD without a body', async () => {
    await call()
    const headers = { authorization: 'Bearer alice' }
    const { status, text } = await server.fetch('/xrpc/test.cache.echo', { method: 'HEAD', headers })
    expect({ status, text, calls }).toEqual({ status: 200, text: '', calls: 1 })
  })
})
