/** Activity of other servers arrives by their event streams. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RemoteServer } from '../../support/remote-server.ts'
import { type Account, adminAuth, TestServer } from '../../support/server.ts'
import { createdAt, type Ref } from '../../support/social.ts'
import { until } from '../../support/until.ts'

let server: TestServer
let remote: RemoteServer
let alice: Account

beforeAll(async () => {
  remote = await RemoteServer.start()
  server = await TestServer.start()
  alice = await server.account('alice')
})
afterAll(async () => {
  await server.close()
  await remote.close()
})

async function post(text: string): Promise<Ref> {
  const record = { $type: 'app.example.feed.post', text, createdAt }
  const input = { repo: alice.did, collection: 'app.example.feed.post', record }
  return (await server.post('com.core.repo.createRecord', input, alice)).body
}

async function notifications(): Promise<{ reason: string; uri: string; author: { did: string } }[]> {
  const { body } = await server.get('app.example.notification.listNotifications', {}, alice)
  return body.notifications
}

test('a like of another server notifies within the connection', async () => {
  const added = await server.post('com.core.admin.addUpstream', { url: remote.url }, adminAuth)
  expect(added.body).toMatchObject({ url: remote.url, isConfigured: false })
  await remote.connected()
  const bob = await remote.account('bob')
  const subject = await post('Hello')
  const like = await remote.create(bob, 'app.bsky.feed.like', { subject, createdAt })
  await until(server, async () => (await notifications()).length > 0)
  expect(await notifications()).toMatchObject([{ reason: 'like', uri: like.uri, author: { did: bob.did } }])
})
