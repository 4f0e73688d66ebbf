/** A data folder of the oldest version that is opened. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { listBackups } from '../../server/platform/store/backups/backup.ts'
import { restore } from '../../server/platform/store/backups/restore.ts'
import { schema } from '../../server/platform/store/schema.ts'
import { download } from '../support/blobs.ts'
import { earlier, writeEarlierData } from '../support/earlier-data.ts'
import { adminAuth } from '../support/server.ts'
import { server, setupServer } from '../support/setup.ts'

const { alice, bob, phone, image } = earlier
let now = Date.parse(earlier.at)

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pds-earlier-'))
  writeEarlierData(dataDir)
})
setupServer({ config: () => ({ dataDir }), options: { now: () => new Date(++now) }, per: 'test' })

type Token = { readonly accessJwt: string }

async function signIn(name: string, password = `${name}-password`): Promise<Token> {
  const { status, body } = await server.signIn({ handle: `${name}.test`, password })
  expect(status).toBe(200)
  return body
}

const refresh = async (accessJwt: string) =>
  (await server.post('com.core.server.refreshSession', undefined, { accessJwt })).status

/** Texts of an account's posts and replies, newest first. */
async function textsOf(actor: string, token: Token): Promise<string[]> {
  const { body } = await server.get('app.example.feed.getAuthorFeed', { actor }, token)
  return body.feed.map(({ post }: { post: { record: { text: string } } }) => post.record.text)
}

async function notificationsOf(token: Token): Promise<string[]> {
  const { body } = await server.get('app.example.notification.listNotifications', {}, token)
  return body.notifications.map(
    ({ reason, author }: { reason: string; author: { handle: string } }) => `${reason} by ${author.handle}`,
  )
}

test('passwords, app passwords, sessions and codes keep working', async () => {
  const owner = await signIn('alice')
  await signIn('bob')
  await signIn('alice', alice.appPassword)
  expect(await refresh(phone.refreshJwt)).toBe(200)
  expect(await refresh(alice.oldRefreshJwt)).toBe(200)
  expect(await refresh(alice.refreshJwt)).toBe(200)
  const input = { email: 'alice@mail.test', token: alice.emailCode }
  expect((await server.post('com.core.server.confirmEmail', input, owner)).status).toBe(200)
})

test('posts, links, notifications and media are as they were', async () => {
  const [token, other] = [await signIn('alice'), await signIn('bob')]
  expect(await textsOf(alice.did, token)).toEqual(['hello from a client of the network', 'a picture'])
  expect(await textsOf(bob.did, token)).toEqual(['a reply'])
  const { body: profile } = await server.get('app.example.actor.getProfile', { actor: alice.did }, other)
  expect(profile).toMatchObject({ displayName: 'Alice', followersCount: 1, followsCount: 1, postsCount: 2 })
  const { body } = await server.get('app.example.feed.getAuthorFeed', { actor: alice.did }, other)
  expect(body.feed.map(({ post }: { post: object }) => post)).toMatchObject([
    { likeCount: 1, replyCount: 0, viewer: { like: expect.any(String) } },
    { likeCount: 1, replyCount: 1, viewer: { like: expect.any(String) } },
  ])
  expect(await notificationsOf(token)).toEqual([
    'reply by bob.test',
    'like by bob.test',
    'like by bob.test',
    'follow by bob.test',
  ])
  expect(await notificationsOf(other)).toEqual(['follow by alice.test'])
  const file = await download(server, alice.did, image.cid)
  expect(Buffer.from(await file.arrayBuffer()).toString('base64')).toBe(image.base64)
})

test('writes work, and repositories verify', async () => {
  const token = await signIn('alice')
  const record = { text: 'a post after the upgrade', createdAt: earlier.at }
  const input = { repo: alice.did, collection: 'app.example.feed.post', record }
  expect((await server.post('com.core.repo.createRecord', input, token)).status).toBe(200)
  expect((await textsOf(alice.did, token)).toSorted()).toEqual([
    'a picture',
    'a post after the upgrade',
    'hello from a client of the network',
  ])
  const { file } = await server.running.services.store.backup()
  const { problem, provenAt } = await server.running.services.operation.backupProofs.prove(file)
  expect(problem).toBe(undefined)
  expect(provenAt).toBeDefined()
  await server.restart()
  expect(await textsOf(alice.did, token)).toHaveLength(3)
})

test('the state before the upgrade is in a backup that can be restored', async () => {
  const { dataDir } = server.config
  const deleted = await server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth)
  expect(deleted.status).toBe(200)
  await server.running.close()
  const [backup] = await listBackups(dataDir)
  expect(backup).toMatchObject({ kind: 'upgrade' })
  await restore({ directory: dataDir, file: backup?.file ?? '', schema, now: () => new Date(++now) })
  await server.open()
  const token = await signIn('bob')
  expect(await textsOf(bob.did, token)).toEqual(['a reply'])
  expect((await download(server, alice.did, image.cid)).status).toBe(200)
})
