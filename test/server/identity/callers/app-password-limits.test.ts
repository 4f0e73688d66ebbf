/** Limited app passwords: what their sessions may do, method by method. */
import { beforeAll, describe, expect, test } from 'vitest'
import { methods } from '../../../../server/api/index.ts'
import { neededScope } from '../../../../server/identity/callers/method-permissions.ts'
import { png, upload } from '../../../support/records/blobs.ts'
import { type Account, type Answer, TestServer } from '../../../support/server/server.ts'
import { other, owner, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice', 'bob'] })

type Limit = 'readOnly' | 'postsOnly' | 'noDeletion'
type Attempt = (auth: Account) => Promise<Answer>

const post = 'app.bsky.feed.post'
const like = 'app.bsky.feed.like'
const rkey = '3jzfcijpj2z2a'
const note = { $type: post, text: 'x', createdAt: '2030-01-01T00:00:00Z' }
let cid = ''
beforeAll(async () => {
  const input = { repo: owner.did, collection: post, rkey, record: note }
  cid = (await server.post('com.atproto.repo.putRecord', input, owner)).body.cid
})

const repo =
  (method: string, collection: string, more: () => object): Attempt =>
  (auth) =>
    server.post(`com.atproto.repo.${method}`, { repo: owner.did, collection, ...more() }, auth)
const read =
  (nsid: string, params: Record<string, string> = {}): Attempt =>
  (auth) =>
    server.get(nsid, params, auth)
const call =
  (nsid: string, input: () => object): Attempt =>
  (auth) =>
    server.post(nsid, input(), auth)
const file =
  (type: string): Attempt =>
  (auth) =>
    upload(server, auth, new Uint8Array(png(type)), type)
const token = (lxm: string) =>
  read('com.atproto.server.getServiceAuth', { aud: 'did:web:service.example', lxm })
const writes = (kind: string, more: () => object): Attempt =>
  call('com.atproto.repo.applyWrites', () => ({
    repo: owner.did,
    writes: [{ $type: `com.atproto.repo.applyWrites#${kind}`, collection: post, ...more() }],
  }))
const uri = () => `at://${owner.did}/${post}/${rkey}`
const likeOf = () => {
  const subject = { uri: `at://${owner.did}/${post}/${rkey}`, cid }
  return { record: { $type: like, subject, createdAt: note.createdAt } }
}

let keys = 0
const newKey = () => `3jzfcijpj2${(keys++).toString(36).padStart(3, '2').replace(/[01]/, 'z')}`

const all: readonly Limit[] = ['readOnly', 'postsOnly', 'noDeletion']
const cases: [string, Attempt, readonly Limit[]][] = [
  ['getSession', read('com.atproto.server.getSession'), all],
  ['getTimeline', read('app.bsky.feed.getTimeline'), all],
  ['getPreferences', read('app.bsky.actor.getPreferences'), all],
  ['listNotifications', read('app.bsky.notification.listNotifications'), all],
  ['a new post', repo('createRecord', post, () => ({ record: note })), ['postsOnly', 'noDeletion']],
  ['a like', repo('createRecord', like, likeOf), ['noDeletion']],
  [
    'a new post by putRecord',
    repo('putRecord', post, () => ({ rkey: newKey(), record: note })),
    ['postsOnly', 'noDeletion'],
  ],
  ['a new post by applyWrites', writes('create', () => ({ value: note })), ['postsOnly', 'noDeletion']],
  ['a changed post', repo('putRecord', post, () => ({ rkey, record: note })), []],
  ['a changed post by applyWrites', writes('update', () => ({ rkey, value: note })), []],
  ['a deleted post by applyWrites', writes('delete', () => ({ rkey })), []],
  ['a deleted post', repo('deleteRecord', post, () => ({ rkey: '3jzfcijpj2z2b' })), []],
  ['a picture', file('image/png'), ['postsOnly', 'noDeletion']],
  ['a document', file('application/pdf'), ['noDeletion']],
  ['muteActor', call('app.bsky.graph.muteActor', () => ({ actor: other.did })), ['noDeletion']],
  ['createBookmark', call('app.bsky.bookmark.createBookmark', () => ({ uri: uri(), cid })), ['noDeletion']],
  [
    'createDraft',
    call('app.bsky.draft.createDraft', () => ({ draft: { posts: [{ text: 'x' }] } })),
    ['noDeletion'],
  ],
  [
    'updateSeen',
    call('app.bsky.notification.updateSeen', () => ({ seenAt: note.createdAt })),
    ['noDeletion'],
  ],
  ['a token for a service', token('app.bsky.video.getJobStatus'), ['noDeletion']],
  ['a token for an upload', token('com.atproto.repo.uploadBlob'), ['noDeletion']],
  ['a token for chat', token('chat.bsky.convo.listConvos'), []],
  ['createAppPassword', call('com.atproto.server.createAppPassword', () => ({ name: 'x' })), []],
  ['listAppPasswords', read('com.atproto.server.listAppPasswords'), []],
]

describe.each(all)('an app password that is limited to %s', (limit) => {
  let session: Account
  beforeAll(async () => {
    const { status, body } = await server.post(
      'com.core.server.createAppPassword',
      { name: limit, limit },
      owner,
    )
    expect([status, body.limit]).toEqual([200, limit])
    session = { ...owner, ...(await server.signIn({ ...owner, password: body.password })).body }
  })

  test.each(cases)('%s', async (_, attempt, allowed) => {
    const { status } = await attempt(session)
    if (allowed.includes(limit)) expect(status).toBe(200)
    else expect([400, 403]).toContain(status)
  })

  test('keeps its limit when its session is renewed, and is listed with it', async () => {
    const { body } = await server.post('com.core.server.refreshSession', undefined, {
      accessJwt: session.refreshJwt,
    })
    const answer = await repo('deleteRecord', post, () => ({ rkey }))({ ...session, ...body })
    expect([answer.status, answer.body.error]).toEqual([403, 'ScopeMissingError'])
    const list = await server.get('com.core.server.listAppPasswords', {}, owner)
    expect(list.body.passwords).toContainEqual(expect.objectContaining({ name: limit, limit }))
  })
})

describe('an app password for everything but deleting', () => {
  let session: Account
  beforeAll(async () => {
    const made = await server.post(
      'com.core.server.createAppPassword',
      { name: 'calls', limit: 'noDeletion' },
      owner,
    )
    session = { ...owner, ...(await server.signIn({ ...owner, password: made.body.password })).body }
  })
  const refused = expect.stringMatching(/^This app password is limited and may not do this/)

  /** What it may not call, of the methods that apps call at this server. */
  const removals = [
    'app.example.actor.putPreferences',
    'app.example.bookmark.deleteBookmark',
    'app.example.contact.dismissMatch',
    'app.example.contact.importContacts',
    'app.example.contact.removeData',
    'app.example.draft.deleteDraft',
    'app.example.draft.updateDraft',
    'app.example.graph.unmuteActor',
    'app.example.graph.unmuteActorList',
    'app.example.graph.unmuteThread',
    'app.example.notification.putActivitySubscription',
    'app.example.notification.putPreferences',
    'app.example.notification.putPreferencesV2',
    'app.example.notification.unregisterPush',
    'app.example.video.abortUpload',
    'chat.example.actor.deleteAccount',
  ]

  test.each(removals)('may not call %s, for it removes or overwrites', async (nsid) => {
    for (const name of [nsid, nsid.replace('app.example', 'app.bsky').replace('chat.example', 'chat.bsky')]) {
      const { status, body } = await server.post(name, {}, session)
      expect([status, body.error, body.message]).toEqual([403, 'ScopeMissingError', refused])
    }
  })

  test('may call every other procedure of apps: each one reads or adds', async () => {
    const procedures = methods.filter(
      (method) => method.schema.type === 'procedure' && neededScope(method) === 'rpc',
    )
    const open = procedures.map(({ nsid }) => nsid).filter((nsid) => !removals.includes(nsid))
    // A new procedure is put here, or into the list above and in removals.ts.
    expect(open.sort()).toEqual([
      'app.example.ageassurance.begin',
      'app.example.bookmark.createBookmark',
      'app.example.contact.startPhoneVerification',
      'app.example.contact.verifyPhone',
      'app.example.draft.createDraft',
      'app.example.feed.sendInteractions',
      'app.example.graph.muteActor',
      'app.example.graph.muteActorList',
      'app.example.graph.muteThread',
      'app.example.notification.registerPush',
      'app.example.notification.updateSeen',
      // This server has no video service, and refuses them.
      'app.example.video.finishUpload',
      'app.example.video.startUpload',
      'app.example.video.uploadPart',
      'com.core.identity.refreshIdentity',
      'com.core.moderation.createReport',
    ])
    for (const nsid of open)
      expect((await server.post(nsid, {}, session)).body?.error, nsid).not.toBe('ScopeMissingError')
  })

  test.each([
    'com.atproto.repo.deleteRecord',
    'com.core.repo.deleteRecord',
    'Com.Atproto.Repo.deleterecord',
    'com.atproto.repo.putRecord',
    'com.atproto.repo.applyWrites',
    'app.bsky.bookmark.deleteBookmark',
    'app.bsky.actor.putPreferences',
    'APP.BSKY.Draft.updateDraft',
    'org.example.things.purge',
    'org.example.things.setAll',
  ])('gets no service token for %s', async (lxm) => {
    const { status, body } = await token(lxm)(session)
    expect([status, body.error, body.message]).toEqual([403, 'ScopeMissingError', refused])
  })

  test.each(['app.bsky.feed.getFeed', 'app.bsky.bookmark.createBookmark', 'org.example.things.addOne'])(
    'gets a service token for %s',
    async (lxm) => {
      expect((await token(lxm)(session)).status).toBe(200)
    },
  )
})

test('an unknown limit, and a limited app password with privileges, are refused', async () => {
  for (const input of [{ limit: 'nothing' }, { limit: 'readOnly', privileged: true }]) {
    const made = await server.post('com.core.server.createAppPassword', { name: 'x', ...input }, owner)
    expect([made.status, made.body.error]).toEqual([400, 'InvalidRequest'])
  }
})

test('a password for posts makes posts on a server without the names of the network', async () => {
  const plain = await TestServer.start({ aliases: new Map() })
  try {
    const alice = await plain.account('alice')
    const input = { name: 'bot', limit: 'postsOnly' }
    const made = await plain.post('com.core.server.createAppPassword', input, alice)
    const { body: bot } = await plain.signIn({ ...alice, password: made.body.password })
    const record = { text: 'x', createdAt: note.createdAt }
    const write = (collection: string, value: object) =>
      plain.post('com.core.repo.createRecord', { repo: alice.did, collection, record: value }, bot)
    expect((await write('app.example.feed.post', record)).status).toBe(200)
    expect((await write('com.example.note', {})).body.error).toBe('ScopeMissingError')
  } finally {
    await plain.close()
  }
})
