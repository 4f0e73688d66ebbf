/** What happens to verified records of other servers: which are stored, and what accounts here see of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { counts, RemoteAuthor } from '../../support/remote-author.ts'
import { type Account, TestServer } from '../../support/server.ts'
import { SocialServer, someCid } from '../../support/social.ts'

let server: TestServer
let social: SocialServer
let names = 0

beforeAll(async () => {
  server = await TestServer.start()
  social = SocialServer.on(server)
})
afterAll(() => server.close())

const join = () => server.account(`alice${++names}`)
const remote = () => new RemoteAuthor(server)

async function notificationsOf(account: Account) {
  const { body } = await server.get('app.bsky.notification.listNotifications', {}, account)
  return body.notifications as { reason: string; uri: string; author: { did: string }; record: object }[]
}

async function reasonsOf(account: Account): Promise<string[]> {
  return (await notificationsOf(account)).map(({ reason }) => reason)
}

async function postOf(uri: string, reader?: Account) {
  const { body } = await server.get('app.bsky.feed.getPosts', { uris: [uri] }, reader)
  return body.posts[0]
}

describe('a record of another server that refers to an account here', () => {
  test('notifies and counts once, as a record here', async () => {
    const [alice, bob] = [await join(), remote()]
    const post = await social.post(alice)
    const like = await bob.change('app.bsky.feed.like', { subject: post })
    expect(await bob.apply([like, like])).toEqual(counts({ stored: 1, skipped: 1 }))
    expect(await bob.apply([like])).toEqual(counts({ skipped: 1 }))
    expect(await notificationsOf(alice)).toMatchObject([
      { reason: 'like', author: { did: bob.did }, reasonSubject: post.uri },
    ])
    expect(await postOf(post.uri)).toMatchObject({ likeCount: 1 })
  })

  test('that refers to accounts elsewhere, or to records that do not exist, is skipped', async () => {
    const [alice, bob] = [await join(), remote()]
    const missing = { uri: `at://${alice.did}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: someCid }
    const { applied } = await bob.like(missing)
    expect(applied).toEqual(counts({ skipped: 1 }))
    expect((await bob.follow(remote())).applied).toEqual(counts({ skipped: 1 }))
    expect((await bob.post('Nothing to do with anyone here')).applied).toEqual(counts({ skipped: 1 }))
    expect(await reasonsOf(alice)).toEqual([])
  })
})
