/** The boundaries of scopes, method by method. */
import { beforeAll, describe, expect, test } from 'vitest'
import { App, type Tokens } from '../../../support/accounts/oauth-app.ts'
import { png } from '../../../support/records/blobs.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ config: { publicUrl: undefined }, accounts: ['alice'] })

const post = 'app.bsky.feed.post'
const view = 'did:web:api.bsky.app#bsky_appview'
const record = (collection: string) => ({ $type: collection, text: 'x', createdAt: '2030-01-01T00:00:00Z' })

/** A call, and whether it succeeds with each text of scopes. */
interface Call {
  readonly nsid: string
  readonly query?: string
  readonly input?: () => object
  readonly headers?: Record<string, string>
}

const create = (collection: string): Call => ({
  nsid: 'com.atproto.repo.createRecord',
  input: () => ({ repo: owner.did, collection, record: record(collection) }),
})
const put = (rkey: string): Call => ({
  nsid: 'com.atproto.repo.putRecord',
  input: () => ({ repo: owner.did, collection: post, rkey, record: record(post) }),
})
const remove: Call = {
  nsid: 'com.atproto.repo.deleteRecord',
  input: () => ({ repo: owner.did, collection: post, rkey: '3jzfcijpj2z2a' }),
}
const writes = (...kinds: string[]): Call => ({
  nsid: 'com.atproto.repo.applyWrites',
  input: () => ({
    repo: owner.did,
    writes: kinds.map((kind) => ({
      $type: `com.atproto.repo.applyWrites#${kind}`,
      collection: post,
      ...(kind === 'create' ? {} : { rkey: '3jzfcijpj2z2a' }),
      ...(kind === 'delete' ? {} : { value: record(post) }),
    })),
  }),
})
const updateHandle: Call = {
  nsid: 'com.atproto.identity.updateHandle',
  input: () => ({ handle: owner.handle }),
}
const importRepo: Call = { nsid: 'com.atproto.repo.importRepo', input: () => ({}) }
const timeline: Call = { nsid: 'app.bsky.feed.getTimeline' }
const token = (lxm: string | undefined, aud = view): Call => ({
  nsid: 'com.atproto.server.getServiceAuth',
  query: `?${new URLSearchParams({ aud, ...(lxm !== undefined && { lxm }) })}`,
})
const importAccount = 'com.atproto.server.createAccount'
const elsewhere = 'did:web:pds.example'

const cases: [scope: string, name: string, call: Call, isAllowed: boolean][] = [
  ['atproto', 'getSession', { nsid: 'com.atproto.server.getSession' }, true],
  ['atproto', 'createRecord', create(post), false],
  ['atproto', 'getTimeline', timeline, false],
  ['atproto', 'getPreferences', { nsid: 'app.bsky.actor.getPreferences' }, false],
  ['atproto', 'getServiceAuth', token('app.bsky.feed.getTimeline'), false],
  [
    'atproto',
    'getRecord of anyone',
    { nsid: 'com.atproto.repo.describeRepo', query: '?repo=alice.test' },
    true,
  ],
  ['transition:generic', 'createRecord', create(post), true],
  ['transition:generic', 'createRecord of another app', create('org.example.note'), true],
  ['transition:generic', 'getTimeline', timeline, true],
  ['transition:generic', 'getPreferences', { nsid: 'app.bsky.actor.getPreferences' }, true],
  ['transition:generic', 'a token for chat', token('chat.bsky.convo.listConvos'), false],
  ['transition:generic transition:chat.bsky', 'a token for chat', token('chat.bsky.convo.listConvos'), true],
  ...['chat.example.convo.listConvos', 'Chat.Bsky.convo.listConvos', 'CHAT.EXAMPLE.convo.listConvos'].map(
    (lxm): (typeof cases)[number] => ['transition:generic', `a token for ${lxm}`, token(lxm), false],
  ),
  ...[
    importAccount,
    'com.core.server.createAccount',
    'Com.AtProto.Server.createAccount',
    'com.atproto.server.createaccount',
  ].flatMap((lxm): typeof cases => [
    ['transition:generic transition:chat.bsky', `a token for ${lxm}`, token(lxm, elsewhere), false],
    [`rpc:${importAccount}?aud=*`, `a token for ${lxm}`, token(lxm, elsewhere), true],
    ['rpc:com.core.server.createAccount?aud=*', `a token for ${lxm}`, token(lxm, elsewhere), true],
    ['rpc:app.bsky.feed.getTimeline?aud=*', `a token for ${lxm}`, token(lxm, elsewhere), false],
  ]),
  ['transition:generic', 'a token for any method', token(undefined), false],
  ['transition:generic transition:chat.bsky', 'a token for any method', token(undefined), false],
  ['rpc:app.bsky.feed.getTimeline?aud=*', 'a token for any method', token(undefined), false],
  [`rpc:*?aud=${encodeURIComponent(view)}`, 'a token for any method of it', token(undefined), true],
  [`rpc:*?aud=${encodeURIComponent(view)}`, 'a token for any method', token(undefined, elsewhere), false],
  ['transition:generic', 'updateHandle', updateHandle, false],
  ['identity:handle', 'updateHandle', updateHandle, true],
  ['transition:generic', 'importRepo', importRepo, false],
  ['account:repo', 'importRepo', importRepo, false],
  [`repo:${post}?action=create`, 'createRecord', create(post), true],
  [`repo:${post}?action=create`, 'createRecord under our own name', create('app.example.feed.post'), true],
  [`repo:${post}?action=create`, 'createRecord of a like', create('app.bsky.feed.like'), false],
  [`repo:${post}?action=create`, 'putRecord of a new record', put('3jzfcijpj2z2b'), true],
  [`repo:${post}?action=create`, 'putRecord of an existing record', put('3jzfcijpj2z2a'), false],
  [`repo:${post}?action=update`, 'putRecord of an existing record', put('3jzfcijpj2z2a'), true],
  [`repo:${post}?action=update`, 'putRecord of a new record', put('3jzfcijpj2z2c'), false],
  [`repo:${post}?action=create`, 'deleteRecord', remove, false],
  [`repo:${post}?action=create`, 'applyWrites: create', writes('create'), true],
  [`repo:${post}?action=create`, 'applyWrites: create and update', writes('create', 'update'), false],
  [`repo:${post}?action=create`, 'applyWrites: delete', writes('delete'), false],
  ['repo:*', 'createRecord', create('org.example.note'), true],
  [`rpc:app.bsky.feed.getTimeline?aud=${encodeURIComponent(view)}`, 'getTimeline', timeline, true],
  [`rpc:app.bsky.feed.getFeed?aud=${encodeURIComponent(view)}`, 'getTimeline', timeline, false],
  ['rpc:app.bsky.feed.getTimeline?aud=*', 'getTimeline', timeline, true],
  [
    `rpc:app.bsky.feed.getTimeline?aud=${encodeURIComponent(view)}`,
    'getTimeline, answered here under each name of the service',
    { ...timeline, headers: { 'atproto-proxy': 'did:web:evil.example#bsky_appview' } },
    true,
  ],
  [
    `rpc:*?aud=${encodeURIComponent('did:web:evil.example#svc')}`,
    'getTimeline in the name of that service',
    { ...timeline, headers: { 'atproto-proxy': 'did:web:evil.example#svc' } },
    false,
  ],
  [
    `rpc:app.bsky.feed.getTimeline?aud=${encodeURIComponent(view)}`,
    'a token for it',
    token('app.bsky.feed.getTimeline'),
    true,
  ],
  [
    `rpc:app.bsky.feed.getTimeline?aud=${encodeURIComponent(view)}`,
    'a token for another service',
    token('app.bsky.feed.getTimeline', 'did:web:evil.example'),
    false,
  ],
  // Last: the others need the record.
  [`repo:${post}?action=delete`, 'deleteRecord', remove, true],
]

beforeAll(async () => {
  const input = { repo: owner.did, collection: post, rkey: '3jzfcijpj2z2a', record: record(post) }
  await server.post('com.atproto.repo.putRecord', input, owner)
})

test.each(cases)(
  'an app with the scope %s: %s',
  async (scope, _, { nsid, query, input, headers }, isAllowed) => {
    const app = await App.create(`atproto ${scope === 'atproto' ? '' : scope}`.trim())
    const tokens = await app.signIn(owner)
    const answer = await app.call(nsid, tokens, {
      ...(query !== undefined && { query }),
      ...(input && { input: input() }),
      ...(headers && { headers }),
    })
    if (isAllowed) expect(answer).toMatchObject({ status: 200 })
    else expect([answer.status, answer.body.error]).toEqual([403, 'ScopeMissingError'])
  },
)

describe('files and email', () => {
  let images: App
  let tokens: Tokens
  beforeAll(async () => {
    images = await App.create('atproto blob:image/*')
    tokens = await images.signIn(owner)
  })

  const upload = async (type: string) => {
    const nsid = 'com.atproto.repo.uploadBlob'
    return images.call(nsid, tokens, { body: new Uint8Array(png('a')), headers: { 'content-type': type } })
  }

  test('a scope for pictures uploads pictures only', async () => {
    expect((await upload('image/png')).status).toBe(200)
    const other = await upload('video/mp4')
    expect([other.status, other.body.error]).toEqual([403, 'ScopeMissingError'])
  })

  test('the email address is for apps that asked for it', async () => {
    const hidden = await images.call('com.atproto.server.getSession', tokens)
    expect(hidden.body.email).toBeUndefined()
    for (const scope of ['atproto transition:email', 'atproto account:email']) {
      const app = await App.create(scope)
      const { body } = await app.call('com.atproto.server.getSession', await app.signIn(owner))
      expect(body.email).toBe(owner.email)
    }
  })
})
