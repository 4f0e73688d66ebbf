/** Limited app passwords: what their sessions may do, method by method. */
import { beforeAll, describe, expect, test } from 'vitest'
import { png, upload } from '../../support/blobs.ts'
import type { Account, Answer } from '../../support/server.ts'
import { other, owner, server, setupServer } from '../../support/setup.ts'

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
const likeOf = () => {
  const subject = { uri: `at://${owner.did}/${post}/${rkey}`, cid }
  return { record: { $type: like, subject, createdAt: note.createdAt } }
}

const all: readonly Limit[] = ['readOnly', 'postsOnly', 'noDeletion']
const cases: [string, Attempt, readonly Limit[]][] = [
  ['getSession', read('com.atproto.server.getSession'), all],
  ['getTimeline', read('app.bsky.feed.getTimeline'), all],
  ['getPreferences', read('app.bsky.actor.getPreferences'), all],
  ['listNotifications', read('app.bsky.notification.listNotifications'), all],
  ['a new post', repo('createRecord', post, () => ({ record: note })), ['postsOnly', 'noDeletion']],
  ['a like', repo('createRecord', like, likeOf), ['noDeletion']],
  ['a changed post', repo('putRecord', post, () => ({ rkey, record: note })), ['noDeletion']],
  ['a deleted post', repo('deleteRecord', post, () => ({ rkey: '3jzfcijpj2z2b' })), []],
  ['a picture', file('image/png'), ['postsOnly', 'noDeletion']],
  ['a document', file('application/pdf'), ['noDeletion']],
  ['putPreferences', call('app.bsky.actor.putPreferences', () => ({ preferences: [] })), ['noDeletion']],
  ['muteActor', call('app.bsky.graph.muteActor', () => ({ actor: other.did })), ['noDeletion']],
  ['a token for a service', token('app.bsky.video.getJobStatus'), ['noDeletion']],
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

test('an unknown limit, and a limited app password with privileges, are refused', async () => {
  for (const input of [{ limit: 'nothing' }, { limit: 'readOnly', privileged: true }]) {
    const made = await server.post('com.core.server.createAppPassword', { name: 'x', ...input }, owner)
    expect([made.status, made.body.error]).toEqual([400, 'InvalidRequest'])
  }
})
