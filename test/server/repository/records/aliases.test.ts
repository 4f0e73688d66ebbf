/** Aliases: the setting that maps the NSID authorities of the network to ours. */
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../../server/platform/config/config.ts'
import { type Account, TestServer } from '../../../support/server/server.ts'
import { owner as alice, other as bob, server, setupServer } from '../../../support/server/setup.ts'

const tableOf = (text: string) => readConfig({ env: { PDS_ALIASES: text }, args: [] }).aliases
const describeServer = 'server.describeServer'
const notImplemented = { status: 501, body: { error: 'MethodNotImplemented' } }

describe('default aliases', () => {
  setupServer({ accounts: ['alice', 'bob'] })

  const create = (collection: string, record: object, by: Account, more: object = {}) =>
    server.post('com.atproto.repo.createRecord', { repo: by.did, collection, record, ...more }, by)
  const createdAt = '2030-01-01T00:00:00.000Z'
  const newest = async (of: Account) =>
    (await server.get('app.bsky.notification.listNotifications', { limit: '1' }, of)).body.notifications[0]

  describe('methods', () => {
    test('can be called under both NSIDs, with the authority in any letter case', async () => {
      const own = await server.get(`com.core.${describeServer}`)
      expect(await server.get(`com.atproto.${describeServer}`)).toMatchObject({ status: 200, body: own.body })
      expect(await server.get(`Com.ATProto.${describeServer}`)).toMatchObject({ status: 200, body: own.body })
    })

    test.each([
      'com.atproto.server.noSuchMethod',
      'com.atprotocol.server.describeServer',
      'app.atproto.server.describeServer',
      'com.atproto.describeServer',
    ])('%s fails with MethodNotImplemented', async (nsid) => {
      expect(await server.get(nsid)).toMatchObject(notImplemented)
    })

    test('require the same credentials under the alias', async () => {
      expect(await server.get('com.atproto.server.getSession')).toMatchObject({ status: 401 })
      expect(await server.get('com.atproto.server.getSession', {}, alice)).toMatchObject({ status: 200 })
    })

    test.each(['app.bsky', 'app.example'])(
      'accept objects that name their type under %s',
      async (authority) => {
        const put = (type: string) => {
          const activitySubscription = {
            $type: `${authority}.notification.${type}`,
            post: true,
            reply: false,
          }
          const input = { subject: bob.did, activitySubscription }
          return server.post('app.bsky.notification.putActivitySubscription', input, alice)
        }
        const saved = { status: 200, body: { activitySubscription: { post: true } } }
        expect(await put('defs#activitySubscription')).toMatchObject(saved)
        expect(await put('defs#preferences')).toMatchObject({
          status: 400,
          body: { error: 'InvalidRequest' },
        })
        await server.post(
          'app.bsky.notification.putActivitySubscription',
          { subject: bob.did, activitySubscription: { post: false, reply: false } },
          alice,
        )
      },
    )

    test('putPreferencesV2 changes only the given preferences', async () => {
      const { body: before } = await server.get('app.bsky.notification.getPreferences', {}, alice)
      const mention = { include: 'follows', list: true, push: false }
      const changed = await server.post('app.bsky.notification.putPreferencesV2', { mention }, alice)
      expect(changed.body.preferences).toEqual({ ...before.preferences, mention })
      const { body: after } = await server.get('app.example.notification.getPreferences', {}, alice)
      expect(after).toEqual(changed.body)
    })
  })

  describe('$types of responses', () => {
    test.each([
      ['com.core', 'com.core.admin.defs#repoRef'],
      ['com.atproto', 'com.atproto.admin.defs#repoRef'],
      ['Com.ATProto', 'com.atproto.admin.defs#repoRef'],
    ])('have the name by which the method was called: %s', async (authority, $type) => {
      const { body } = await server.get(`${authority}.admin.getSubjectStatus`, { did: bob.did }, alice)
      expect(body.subject).toEqual({ $type, did: bob.did })
    })
  })

  describe('collections', () => {
    test('are validated by our lexicon and stored under the alias', async () => {
      const broken = await create('app.bsky.feed.post', { text: 'no date' }, alice)
      expect(broken).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })

      const made = await create('app.bsky.feed.post', { text: 'A post', createdAt }, alice)
      expect(made.body).toMatchObject({ validationStatus: 'valid' })
      expect(made.body.uri).toMatch(`at://${alice.did}/app.bsky.feed.post/`)
      const params = { repo: alice.did, collection: 'app.bsky.feed.post' }
      const { body: listed } = await server.get('com.core.repo.listRecords', params)
      expect(listed.records).toMatchObject([
        { uri: made.body.uri, value: { $type: 'app.bsky.feed.post', text: 'A post' } },
      ])
    })

    test('create and delete the same notifications', async () => {
      const { body: post } = await create('app.example.feed.post', { text: 'Ours', createdAt }, alice)
      const { body: like } = await create('app.bsky.feed.like', { subject: post, createdAt }, bob)
      const reasonSubject = post.uri.replace('app.example', 'app.bsky')
      expect(await newest(alice)).toMatchObject({ reason: 'like', uri: like.uri, reasonSubject })

      const deletion = { repo: bob.did, collection: 'app.bsky.feed.like', rkey: like.uri.split('/').at(-1) }
      await server.post('com.atproto.repo.deleteRecord', deletion, bob)
      expect((await newest(alice))?.uri).not.toBe(like.uri)
    })

    test('of a subject are canonicalized: a like via an aliased repost', async () => {
      const { body: post } = await create('app.bsky.feed.post', { text: 'Theirs', createdAt }, alice)
      const { body: via } = await create('app.bsky.feed.repost', { subject: post, createdAt }, bob)
      await create('app.example.feed.like', { subject: post, via, createdAt }, alice)
      expect(await newest(bob)).toMatchObject({ reason: 'like-via-repost', reasonSubject: via.uri })
    })
  })

  describe('$type', () => {
    test('inside a record is canonicalized for notifications and returned as written', async () => {
      const { body: quoted } = await create('app.bsky.feed.post', { text: 'Quote me', createdAt }, alice)
      const embed = { $type: 'app.bsky.embed.record', record: quoted }
      const { body: quote } = await create('app.bsky.feed.post', { text: 'Quoted', embed, createdAt }, bob)
      expect(await newest(alice)).toMatchObject({ reason: 'quote', uri: quote.uri, record: { embed } })

      const feature = { $type: 'app.bsky.richtext.facet#mention', did: bob.did }
      const facets = [{ index: { byteStart: 0, byteEnd: 4 }, features: [feature] }]
      await create('app.bsky.feed.post', { text: '@bob', facets, createdAt }, alice)
      expect(await newest(bob)).toMatchObject({ reason: 'mention', record: { facets } })
    })

    test('inside a record is validated by our lexicon', async () => {
      const embed = { $type: 'app.bsky.embed.record', record: { uri: 'nowhere' } }
      const broken = await create('app.bsky.feed.post', { text: 'Quoted', embed, createdAt }, bob)
      expect(broken).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    })

    test('of a record must equal the collection as written', async () => {
      const record = { $type: 'app.example.feed.post', text: 'Mixed', createdAt }
      expect(await create('app.bsky.feed.post', record, alice)).toMatchObject({ status: 400 })
    })
  })

  describe('lxm of service tokens', () => {
    const aud = 'did:web:elsewhere.test'
    const ask = (lxm: string, auth: { accessJwt: string }) =>
      server.get('com.core.server.getServiceAuth', { aud, lxm }, auth)
    const claimsOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

    test('is issued as requested, without canonicalization', async () => {
      const lxm = 'com.atproto.repo.uploadBlob'
      expect(claimsOf((await ask(lxm, alice)).body.token)).toMatchObject({ aud, lxm, iss: alice.did })
    })

    test.each([
      'com.atproto.server.createAccount',
      'chat.bsky.convo.sendMessage',
      'CHAT.bsky.convo.sendmessage',
    ])('%s requires a privileged app password', async (lxm) => {
      const refused = await ask(lxm, await server.appSession(await server.account(nextName()), 'phone'))
      expect(refused).toMatchObject({
        status: 400,
        body: { error: 'InvalidToken', message: 'Bad token method' },
      })
      const issued = await ask(lxm, await server.appSession(await server.account(nextName()), 'chat', true))
      expect(claimsOf(issued.body.token)).toMatchObject({ lxm })
    })

    test('that manages the account is rejected', async () => {
      const refused = await ask('com.atproto.server.deleteAccount', alice)
      expect(refused).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    })
  })
})

let names = 0
const nextName = () => `carol${++names}`

describe('with PDS_ALIASES=none', () => {
  setupServer({ config: { aliases: tableOf('none') } })

  test.each(['com.atproto.server.describeServer', 'app.bsky.notification.getUnreadCount'])(
    '%s fails with MethodNotImplemented',
    async (nsid) => {
      expect(await server.get(nsid)).toMatchObject(notImplemented)
    },
  )

  test('methods can be called under their canonical NSIDs', async () => {
    expect(await server.get(`com.core.${describeServer}`)).toMatchObject({ status: 200 })
  })

  test('records under other NSIDs are not validated and create no notification', async () => {
    const [alice, bob] = [await server.account('alice'), await server.account('bob')]
    const createdAt = '2030-01-01T00:00:00.000Z'
    const create = (collection: string, record: object, by: Account) =>
      server.post('com.core.repo.createRecord', { repo: by.did, collection, record }, by)
    const { body: post } = await create('app.example.feed.post', { text: 'Hello', createdAt }, alice)
    const like = await create('app.bsky.feed.like', { subject: post, createdAt }, bob)
    expect(like).toMatchObject({ status: 200, body: { validationStatus: 'unknown' } })
    const count = await server.get('app.example.notification.getUnreadCount', {}, alice)
    expect(count.body).toEqual({ count: 0 })
  })
})

test('PDS_ALIASES replaces all default aliases', async () => {
  const server = await TestServer.start({ aliases: tableOf('net.fed=com.core') })
  expect(await server.get(`net.fed.${describeServer}`)).toMatchObject({ status: 200 })
  expect(await server.get(`com.atproto.${describeServer}`)).toMatchObject(notImplemented)
  await server.close()
})
