/** DIDs, handles and their documents, as other servers and clients ask for them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

const elsewhere = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

let directory: StubService
/** The documents of the directory, or the status of its answer. */
const documents = new Map<string, object | number>()

beforeAll(async () => {
  directory = await StubService.start()
  directory.respond = (res, req) => {
    const found =
      req.method === 'POST' ? {} : (documents.get(decodeURIComponent(req.url ?? '').slice(1)) ?? 404)
    if (typeof found === 'number') res.writeHead(found).end()
    else json(found)(res, req)
  }
})
afterAll(() => directory.close())
setupServer({ config: () => ({ plcUrl: directory.url, allowPrivateTargets: true }), accounts: ['alice'] })
beforeEach(() => {
  documents.clear()
  documents.set(alice.did, documentOf(alice.did, alice.handle))
  server.clock.advance(10 * 60_000)
})

const documentOf = (id: string, handle: string) => ({ id, alsoKnownAs: [`at://${handle}`] })
const get = (name: string, params: Record<string, string>, auth?: typeof alice) =>
  server.get(`com.core.identity.${name}`, params, auth)
const refresh = (identifier: string) =>
  server.post('com.core.identity.refreshIdentity', { identifier }, alice)

describe('resolveDid', () => {
  test('returns the document', async () => {
    const { body } = await get('resolveDid', { did: alice.did })
    expect(body.didDoc).toMatchObject({ id: alice.did, alsoKnownAs: [`at://${alice.handle}`] })
  })

  test('returns the document of the server itself', async () => {
    const { body: described } = await server.get('com.core.server.describeServer')
    const { body } = await get('resolveDid', { did: described.did })
    expect(body.didDoc).toMatchObject({ id: described.did })
  })

  test('distinguishes unknown and ended DIDs from a directory that fails', async () => {
    const resolved = () => get('resolveDid', { did: elsewhere })
    expect(await resolved()).toMatchObject(refusal(400, 'DidNotFound'))
    server.clock.advance(60_000)
    documents.set(elsewhere, 410)
    expect(await resolved()).toMatchObject(refusal(400, 'DidDeactivated'))
    server.clock.advance(60_000)
    documents.set(elsewhere, 503)
    expect(await resolved()).toMatchObject(refusal(502, 'UpstreamFailure'))
  })
})

describe('resolveIdentity', () => {
  test('returns DID, handle and document for a handle in any letter case, and for a DID', async () => {
    for (const identifier of [alice.handle.toUpperCase(), alice.did]) {
      const { body } = await get('resolveIdentity', { identifier })
      expect(body).toMatchObject({ did: alice.did, handle: alice.handle, didDoc: { id: alice.did } })
    }
  })

  test('does not return a handle that does not name the DID', async () => {
    documents.set(elsewhere, documentOf(elsewhere, alice.handle))
    const { body } = await get('resolveIdentity', { identifier: elsewhere })
    expect(body).toMatchObject({ did: elsewhere, handle: 'handle.invalid', didDoc: { id: elsewhere } })
  })

  test('refuses unknown handles and DIDs', async () => {
    const unknown = await get('resolveIdentity', { identifier: 'unknown.test' })
    expect(unknown).toMatchObject(refusal(400, 'HandleNotFound'))
    expect(await get('resolveIdentity', { identifier: elsewhere })).toMatchObject(refusal(400, 'DidNotFound'))
  })
})

describe('refreshIdentity', () => {
  test('returns the document as it is now, others one that was read before', async () => {
    await get('resolveIdentity', { identifier: alice.did })
    const changed = documentOf(alice.did, 'another.test')
    documents.set(alice.did, changed)
    expect((await get('resolveIdentity', { identifier: alice.did })).body).toMatchObject({
      handle: alice.handle,
    })
    expect((await refresh(alice.handle)).body).toMatchObject({
      ...{ did: alice.did, handle: 'handle.invalid', didDoc: { alsoKnownAs: ['at://another.test'] } },
    })
  })
})

describe('getHostStatus', () => {
  test('answers for the host of this server, and no other', async () => {
    const { host } = new URL(server.config.publicUrl ?? '')
    const { body } = await server.get('com.core.sync.getHostStatus', { hostname: host })
    expect(body).toEqual({ hostname: host, seq: expect.any(Number), status: 'active' })
    const other = await server.get('com.core.sync.getHostStatus', { hostname: 'relay.example' })
    expect(other).toMatchObject(refusal(400, 'HostNotFound'))
  })
})

describe('checkHandleAvailability', () => {
  const check = async (handle: string) =>
    (await server.get('com.atproto.temp.checkHandleAvailability', { handle })).body

  test('a free handle is available', async () => {
    expect(await check('Free-Name.test')).toEqual({
      handle: 'free-name.test',
      result: { $type: 'com.atproto.temp.checkHandleAvailability#resultAvailable' },
    })
  })

  test('a taken handle is not, and free ones are suggested', async () => {
    const [name, domain] = alice.handle.split('.')
    await server.account('second', { handle: `${name}3.${domain}` })
    const { result } = await check(alice.handle)
    const suggestions = [2, 4, 5].map((n) => ({ handle: `${name}${n}.${domain}`, method: 'number' }))
    expect(result).toEqual({
      $type: 'com.atproto.temp.checkHandleAvailability#resultUnavailable',
      suggestions,
    })
  })

  test('reserved handles and other domains are not available', async () => {
    expect(await check('alice.elsewhere.example')).toMatchObject({ result: { suggestions: [] } })
    expect(await check('admin.test')).toMatchObject({ result: { suggestions: [{}, {}, {}] } })
  })
})
