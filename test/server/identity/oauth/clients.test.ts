/** Clients with a document of their own, with a key of their own, and permission sets. */
import { P256Keypair } from '@atproto/crypto'
import { exportJWK, generateKeyPair, type JWK, type SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  assertion as assertionOf,
  confidentialRedirect,
  type Handler,
  json,
  names,
  setupClientSite,
  site,
} from '../../../support/accounts/client-site.ts'
import { issuer } from '../../../support/accounts/oauth.ts'
import { App } from '../../../support/accounts/oauth-app.ts'
import { LexiconPublisher } from '../../../support/remote/lexicon-publisher.ts'
import { day, minute } from '../../../support/server/clock.ts'
import type { Answer } from '../../../support/server/server.ts'
import { owner, renewSessions, server } from '../../../support/server/setup.ts'

setupClientSite({ accounts: ['alice'] })

const publish = (change: Record<string, unknown> = {}) => site.publish(change)

describe('a public client with a document', () => {
  test('signs in; the person sees its address, not the name that it gives itself', async () => {
    const id = publish()
    const app = await App.create('atproto', id)
    const { body } = await app.request()
    const view = await server.get('com.core.oauth.getRequest', { id: body.request_uri.split(':').at(-1) })
    expect(view.body).toMatchObject({ client: id, isLocal: false, redirectTo: '127.0.0.1' })
    expect(JSON.stringify(view.body)).not.toContain('Not to be shown')
    const tokens = await app.signIn(owner)
    expect((await app.call('com.atproto.server.getSession', tokens)).body.did).toBe(owner.did)
  })

  test('is read once in ten minutes', async () => {
    const id = publish()
    const app = await App.create('atproto', id)
    const path = new URL(id).pathname
    const reads = () => site.requests.filter((url) => url === path).length
    for (let n = 0; n < 3; n++) expect((await app.request()).status).toBe(201)
    expect(reads()).toBe(1)
    server.clock.advance(11 * minute)
    await app.request()
    expect((await app.request()).status).toBe(201)
    expect(reads()).toBe(2)
  })

  test.each<[string, Record<string, unknown>]>([
    ['names another client', { client_id: 'https://other.example.com/client.json' }],
    ['names none', { client_id: undefined }],
    ['has no scope', { scope: undefined }],
    ['has no atproto scope', { scope: 'transition:generic' }],
    ['has no bound tokens', { dpop_bound_access_tokens: false }],
    ['has no redirect URI', { redirect_uris: [] }],
    ['has a redirect URI on http', { redirect_uris: ['http://app.example.com/'] }],
    ['has a redirect URI of another scheme', { redirect_uris: ['com.evil.app:/callback'] }],
    ['has a script as redirect URI', { redirect_uris: ['javascript:alert(1)'] }],
    ['has a redirect URI with a line break', { redirect_uris: ['com.example\n.pds.app:/callback'] }],
    ['has a redirect URI with a blank', { redirect_uris: [' com.example.pds.app:/callback'] }],
    ['has a redirect URI with a backslash', { redirect_uris: ['http://127.0.0.1\\@evil.example/'] }],
    ['has a redirect URI with an empty fragment', { redirect_uris: ['https://app.example.com/#'] }],
    ['has a redirect URI with a port that does not exist', { redirect_uris: ['https://a.example:99999/'] }],
    ['has an address with a port that does not exist', { client_uri: 'https://a.example:99999/' }],
    ['has the implicit grant', { grant_types: ['authorization_code', 'implicit'] }],
    ['has no code', { response_types: ['token'] }],
    ['has a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['has loopback redirects as a web client', { application_type: 'web' }],
    ['is a native client with a key', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }],
    ['has a number as scope', { scope: 1 }],
  ])('is refused if its document %s', async (_, change) => {
    const app = await App.create('atproto', publish(change))
    const { status, body } = await app.request()
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
  })

  const broken: [string, Handler][] = [
    ['is not there', (_, res) => void res.writeHead(404).end()],
    ['is elsewhere', (_, res) => void res.writeHead(302, { location: '/client-0.json' }).end()],
    ['is no JSON', (_, res) => void res.setHeader('content-type', 'application/json').end('{')],
    ['is a page', (_, res) => void res.setHeader('content-type', 'text/html').end('{}')],
    ['is a list', json([])],
    ['is null', json(null)],
    ['has 100 kB', json({ filler: 'x'.repeat(100_000) })],
    ['breaks off', (_, res) => void res.writeHead(200, { 'content-length': 100 }).destroy()],
  ]
  test.each(broken)('is refused if its document %s', async (_, handler) => {
    const id = publish()
    site.answers.set(new URL(id).pathname, handler)
    const app = await App.create('atproto', id)
    const { status, body } = await app.request()
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
  })
})

describe('a client with a key of its own', () => {
  let privateKey: Parameters<SignJWT['sign']>[0]
  let jwk: JWK
  beforeEach(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true })
    privateKey = pair.privateKey
    jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' }
  })

  const confidential = (keys: object) => site.confidential(keys)
  const use = { redirect_uri: confidentialRedirect }
  let keySet = 0
  const assertion = (id: string, claims: object = {}, header: object = {}, signer = privateKey) =>
    assertionOf(id, signer, claims, header)

  test.each(['jwks', 'jwks_uri'])(
    'signs in with %s, and renews for half a year after each use',
    async (kind) => {
      site.answers.set('/keys.json', json({ keys: [jwk] }))
      const keys = kind === 'jwks' ? { jwks: { keys: [jwk] } } : { jwks_uri: `${site.origin}/keys.json` }
      if (kind === 'jwks_uri') server.clock.advance(11 * minute)
      const id = confidential(keys)
      const app = await App.create('atproto', id)
      app.authentication = () => assertion(id)
      await renewSessions()
      const { body } = await app.exchange(await app.code(owner, use), use)
      expect(body).toMatchObject({ token_type: 'DPoP', sub: owner.did })
      let { refresh_token } = body
      for (let times = 0; times < 3; times++) {
        await server.elapse(170 * day)
        const renewed = await app.refresh(refresh_token)
        expect(renewed.status).toBe(200)
        refresh_token = renewed.body.refresh_token
      }
      await server.elapse(181 * day)
      expect((await app.refresh(refresh_token)).body.error).toBe('invalid_grant')
    },
  )

  test.each<[string, (id: string) => Promise<Record<string, string>>]>([
    ['without an assertion', async () => ({})],
    ['with a malformed one', async (id) => ({ ...(await assertion(id)), client_assertion: 'a.b.c' })],
    ['with one of another type', async (id) => ({ ...(await assertion(id)), client_assertion_type: 'x' })],
    ['for another server', (id) => assertion(id, { aud: 'https://other.example' })],
    ['of another client', (id) => assertion(id, { iss: 'https://other.example/c.json' })],
    ['for another client', (id) => assertion(id, { sub: 'https://other.example/c.json' })],
    ['without an id', (id) => assertion(id, { jti: undefined })],
    ['without the name of a key', (id) => assertion(id, {}, { kid: undefined })],
    ['with an unknown key', (id) => assertion(id, {}, { kid: 'two' })],
    [
      'with another key of the same name',
      async (id) => assertion(id, {}, {}, (await generateKeyPair('ES256')).privateKey),
    ],
  ])('is refused %s', async (_, authenticate) => {
    const id = confidential({ jwks: { keys: [jwk] } })
    const app = await App.create('atproto', id)
    await app.send('/oauth/par', { client_id: id })
    const { status, body } = await app.request({ ...use, ...(await authenticate(id)) })
    expect([status, body.error]).toEqual([400, 'invalid_client'])
  })

  test.each<[string, unknown]>([
    ['null', null],
    ['a text', 'key'],
    ['a list', []],
    ['a number as kind', { kid: 'one', kty: 1 }],
  ])('ignores what is no key among its keys: %s', async (_, other) => {
    const path = `/keys-${++keySet}.json`
    const id = confidential({ jwks_uri: site.origin + path })
    const app = await App.create('atproto', id)
    await app.send('/oauth/par', { client_id: id })
    const push = async () => (await app.request({ ...use, ...(await assertion(id)) })).body.error
    site.answers.set(path, json({ keys: [other] }))
    server.clock.advance(11 * minute)
    expect(await push()).toBe('invalid_client')
    site.answers.set(path, json({ keys: [other, jwk] }))
    server.clock.advance(11 * minute)
    expect(await push()).toBeUndefined()
  })

  test('an assertion counts once; used ones are on disk, for the time after a restart', async () => {
    const id = confidential({ jwks: { keys: [jwk] } })
    const app = await App.create('atproto', id)
    const used = await assertion(id)
    expect((await app.request({ ...use, ...used })).status).toBe(201)
    expect((await app.request({ ...use, ...used })).body.error).toBe('invalid_client')
    const other = await assertion(id, { aud: [issuer()] })
    expect((await app.request({ ...use, ...other })).status).toBe(201)
    // Another start of a test has another port, for which no assertion of before is.
    const kept = () => server.running.services.store.all('SELECT hash FROM oauth_assertions').length
    const before = kept()
    expect(before).toBeGreaterThanOrEqual(2)
    await server.restart()
    expect(kept()).toBe(before)
  })
})

describe('a permission set', () => {
  let publisher: LexiconPublisher
  beforeAll(async () => {
    publisher = await LexiconPublisher.start(names)
    publisher.own('sets.example')
    const permissions = [
      { type: 'permission', resource: 'repo', collection: ['example.sets.note'], action: ['create'] },
      { type: 'permission', resource: 'repo', collection: ['app.bsky.feed.post'] },
    ]
    const publish = (nsid: string, main: object) => publisher.publish(nsid, { main })
    await publish('example.sets.authBasic', { type: 'permission-set', title: 'Notes', permissions })
    await publish('example.sets.authNull', { type: 'permission-set', permissions: [null] })
    await publish('example.sets.record', {
      type: 'record',
      key: 'tid',
      record: { type: 'object', properties: {} },
    })
  })
  afterAll(() => publisher.close())

  const withSet = (nsid: string) => App.create(`atproto include:${nsid}`)

  test('stands for what its lexicon lists of its own names; the person sees that, and no more is allowed', async () => {
    await renewSessions()
    const app = await withSet('example.sets.authBasic')
    const { body } = await app.request()
    const view = await server.get('com.core.oauth.getRequest', { id: body.request_uri.split(':').at(-1) })
    expect(view.body.scope).toBe('atproto repo:example.sets.note?action=create')
    const tokens = await app.signIn(owner)
    const create = (collection: string) => {
      const record = { $type: collection, text: 'x', createdAt: '2030-01-01T00:00:00Z' }
      return app.call('com.atproto.repo.createRecord', tokens, {
        input: { repo: owner.did, collection, record },
      })
    }
    expect((await create('example.sets.note')).status).toBe(200)
    expect((await create('app.bsky.feed.post')).body.error).toBe('ScopeMissingError')
  })

  test.each([
    ['its publisher is not named', 'example.unnamed.authBasic'],
    ['it is not published', 'example.sets.authMissing'],
    ['it is another kind of lexicon', 'example.sets.record'],
    ['it has null as permission', 'example.sets.authNull'],
  ])('is refused if %s', async (_, nsid) => {
    const { status, body } = await (await withSet(nsid)).request()
    expect([status, body.error]).toEqual([400, 'invalid_scope'])
  })

  describe('whose publisher does not answer', () => {
    beforeAll(() => {
      names.silent = /slow/
    })
    afterAll(() => {
      names.silent = undefined
    })
    const slow = (n: number) => `example.slow-${n}.authBasic`
    const queries = () => names.queries.filter((name) => /slow/.test(name)).length

    test('holds one look-up of its source, however many a request includes', async () => {
      const scopes = Array.from({ length: 20 }, (_, n) => `include:${slow(n)}`)
      const app = await App.create(`atproto ${scopes.join(' ')}`)
      const pushed = app.request().catch(() => {})
      await names.queried(/slow/)
      expect((await (await withSet('example.sets.authBasic')).request()).status).toBe(201)
      expect(queries()).toBe(1)
      await server.restart()
      await pushed
    })

    test('is refused for load with 503, and tried again by the next request', async () => {
      const busy = Promise.withResolvers<Answer>()
      const pushed = Array.from({ length: 12 }, async (_, n) => {
        const answer = await (await withSet(slow(100 + n))).request().catch(() => {})
        if (answer?.status === 503) busy.resolve(answer)
        else if (answer?.body?.error === 'invalid_scope') busy.reject(new Error('refused for good'))
      })
      expect((await busy.promise).body.error).toBe('temporarily_unavailable')
      const refused = await (await withSet('example.sets.authOther')).request()
      expect([refused.status, refused.body.error]).toEqual([503, 'temporarily_unavailable'])
      await server.restart()
      await Promise.all(pushed)
    })
  })

  test('is one of at most 20 in a request', async () => {
    const scopes = Array.from({ length: 21 }, (_, n) => `include:example.many.auth${n}`)
    const before = names.queries.length
    const { status, body } = await (await App.create(`atproto ${scopes.join(' ')}`)).request()
    expect([status, body.error_description]).toEqual([400, 'A request may include 20 permission sets'])
    expect(names.queries).toHaveLength(before)
  })

  test('is refused if two publishers are named, or the signature is of another key', async () => {
    names.records.set('_lexicon.two.example', [`did=${publisher.did}`, 'did=did:web:other.example'])
    expect((await (await withSet('example.two.authBasic')).request()).body.error).toBe('invalid_scope')
    publisher.setKey(await P256Keypair.create())
    server.clock.advance(2 * day)
    expect((await (await withSet('example.sets.authBasic')).request()).body.error).toBe('invalid_scope')
  })
})
