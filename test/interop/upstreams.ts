/** What happens on the reference server arrives at accounts of this server, which reads its event stream. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Account, createAccount, picture, put, upload } from './accounts.ts'
import { Consumer } from './consumer.ts'
import { published } from './migration.ts'
import { poll } from './poll.ts'
import type { Program } from './processes.ts'
import { ShufflingProxy } from './shuffling-proxy.ts'
import type { World } from './world.ts'
import { changeHandle, deleteAccount, setActive, takedown } from './writes.ts'
import { all, get, post } from './xrpc.ts'

interface Ref {
  readonly uri: string
  readonly cid: string
}

interface Notification {
  readonly reason: string
  readonly uri: string
}

const createdAt = '2026-01-01T00:00:00.000Z'
/** Milliseconds for which the reference server keeps events. */
const kept = 1000

export function upstreams(world: World): void {
  test('activity on the reference server notifies accounts of this server exactly once', async (t) => {
    const theirs = await world.newReference({ PDS_REPO_BACKFILL_LIMIT_MS: '60000' })
    t.after(() => theirs.remove())
    const ours = await world.newServer({ PDS_UPSTREAMS: theirs.url })
    t.after(() => ours.remove())
    const people = await openPeople(world, ours, theirs)
    const { alice, bob } = people

    await t.test('likes, reposts, replies, quotes, mentions, follows', async () => {
      const subject = await writePost(alice)
      const expected = await everything(bob, alice, subject)
      const { uri } = await write(bob, 'app.bsky.graph.follow', { subject: alice.did })
      await expectNotified(alice, [...expected, { reason: 'follow', uri }])
      const { body } = await get(ours.url, 'app.bsky.feed.getPosts', {
        params: { uris: subject.uri },
        auth: alice.accessJwt,
      })
      const { likeCount, repostCount, replyCount, quoteCount } = body.posts[0]
      assert.deepEqual({ likeCount, repostCount, replyCount, quoteCount }, counts(1))
    })

    await t.test('a profile and its picture', async () => {
      const avatar = await upload(theirs.url, bob.accessJwt, picture(1))
      const profile = { $type: 'app.bsky.actor.profile', displayName: 'Bob', avatar }
      await put(bob, 'app.bsky.actor.profile', 'self', profile)
      const read = { params: { actor: bob.did }, auth: alice.accessJwt }
      const url = await poll(
        async () => (await get(ours.url, 'app.bsky.actor.getProfile', read)).body.avatar,
        () => 'the profile has no avatar',
      )
      const response = await fetch(url)
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), picture(1))
    })

    await t.test('deletions', async () => {
      const carol = await createAccount(theirs.url, 'deleting')
      const before = await notified(alice)
      const like = await write(carol, 'app.bsky.feed.like', { subject: await writePost(alice) })
      await expectNotified(alice, [...before, { reason: 'like', uri: like.uri }])
      await remove(carol, like)
      await expectNotified(alice, before)
    })

    await t.test('a handle, a takedown, a deactivation, a deletion of the account', async () => {
      const before = await notified(alice)
      const dave = await createAccount(theirs.url, 'dave')
      const follow = await write(dave, 'app.bsky.graph.follow', { subject: alice.did })
      const after = [...before, { reason: 'follow', uri: follow.uri }]
      await expectNotified(alice, after)
      await changeHandle(dave, 'david.test')
      await poll(
        async () => (await handleOf(alice, dave.did)) === 'david.test' || undefined,
        () => 'the handle is not shown',
      )
      await takedown(dave, true)
      await expectNotified(alice, before)
      await takedown(dave, false)
      await expectNotified(alice, after)
      const { body } = await post(theirs.url, 'com.atproto.server.createSession', {
        input: { identifier: dave.did, password: dave.password },
      })
      const again = { ...dave, accessJwt: body.accessJwt }
      await setActive(again, false)
      await expectNotified(alice, before)
      await setActive(again, true)
      await expectNotified(alice, after)
      await deleteAccount(dave)
      await expectNotified(alice, before)
    })

    await t.test('the other way, by the consumer library', async () => {
      const consumer = new Consumer(world.reference, ours.url, world.directory.url)
      const like = await write(alice, 'app.bsky.feed.like', { subject: await writePost(bob) })
      await consumer.sees(alice.did, ({ path }) => path !== undefined && like.uri.endsWith(path))
      consumer.close()
    })

    await t.test('ten restarts', async () => {
      const before = await notified(alice)
      const subject = await writePost(alice)
      const restarts = (async () => {
        for (let count = 0; count < 10; count++) {
          await setTimeout(randomInt(500))
          await ours.kill()
          await ours.start()
        }
      })()
      let running = true
      void restarts.finally(() => {
        running = false
      })
      const replies: Notification[] = []
      while (running) {
        const { uri } = await writePost(bob, { reply: { root: subject, parent: subject } })
        replies.push({ reason: 'reply', uri })
        await setTimeout(100)
      }
      await restarts
      await expectNotified(alice, [...before, ...replies])
    })
  })

  test('what happened during a long absence is caught up', async (t) => {
    const theirs = await world.newReference({ PDS_REPO_BACKFILL_LIMIT_MS: String(kept) })
    t.after(() => theirs.remove())
    const ours = await world.newServer({ PDS_UPSTREAMS: theirs.url })
    t.after(() => ours.remove())
    const { alice, bob } = await openPeople(world, ours, theirs)
    const subject = await writePost(alice)
    const first = await everything(bob, alice, subject)
    const taken = await write(bob, 'app.bsky.feed.like', { subject: await writePost(alice) })
    await expectNotified(alice, [...first, { reason: 'like', uri: taken.uri }])
    await ours.kill()
    const newcomer = await createAccount(theirs.url, 'newcomer')
    const more = [
      ...(await everything(newcomer, alice, subject)),
      { reason: 'mention', uri: (await mention(bob, alice)).uri },
    ]
    await remove(bob, taken)
    // The reference server no longer sends these events.
    await setTimeout(kept + 200)
    await ours.start()
    const follow = await write(bob, 'app.bsky.graph.follow', { subject: alice.did })
    await expectNotified(alice, [...first, ...more, { reason: 'follow', uri: follow.uri }])
  })

  test('events that arrive out of order and twice count once', async (t) => {
    const theirs = await world.newReference({})
    t.after(() => theirs.remove())
    const proxy = await ShufflingProxy.start(theirs.url)
    t.after(() => proxy.close())
    const ours = await world.newServer({ PDS_UPSTREAMS: proxy.url })
    t.after(() => ours.remove())
    const { alice, bob } = await openPeople(world, ours, theirs)
    const expected: Notification[] = []
    for (let round = 0; round < 5; round++) {
      const subject = await writePost(alice)
      expected.push(...(await everything(bob, alice, subject)))
      const taken = await writePost(bob, { reply: { root: subject, parent: subject } })
      await remove(bob, taken)
    }
    await expectNotified(alice, expected)
    assert.ok(proxy.moved > 0)
    await setTimeout(500)
    await expectNotified(alice, expected)
  })
}

async function openPeople({ directory }: World, ours: Program, theirs: Program) {
  const alice = await createAccount(ours.url, 'alice')
  const bob = await createAccount(theirs.url, 'bob')
  for (const { did } of [alice, bob]) await published(directory.url, did)
  return { alice, bob }
}

const counts = (count: number) => ({
  likeCount: count,
  repostCount: count,
  replyCount: count,
  quoteCount: count,
})

async function write(author: Account, collection: string, members: object): Promise<Ref> {
  const record = { $type: collection, createdAt, ...members }
  const input = { repo: author.did, collection, record }
  const { body } = await post(author.server, 'com.atproto.repo.createRecord', {
    auth: author.accessJwt,
    input,
  })
  return { uri: body.uri, cid: body.cid }
}

function writePost(author: Account, members: object = {}): Promise<Ref> {
  return write(author, 'app.bsky.feed.post', { text: 'A post', ...members })
}

async function remove(author: Account, { uri }: Ref): Promise<void> {
  const [, , repo, collection, rkey] = uri.split('/')
  const input = { repo, collection, rkey }
  await post(author.server, 'com.atproto.repo.deleteRecord', { auth: author.accessJwt, input })
}

/** Does all that notifies the author of a post. The reference server keeps one like and one repost of each subject. */
async function everything(author: Account, recipient: Account, subject: Ref): Promise<Notification[]> {
  const embed = { $type: 'app.bsky.embed.record', record: subject }
  const written = {
    like: await write(author, 'app.bsky.feed.like', { subject }),
    repost: await write(author, 'app.bsky.feed.repost', { subject }),
    reply: await writePost(author, { reply: { root: subject, parent: subject } }),
    quote: await writePost(author, { embed }),
    mention: await mention(author, recipient),
  }
  return Object.entries(written).map(([reason, { uri }]) => ({ reason, uri }))
}

function mention(author: Account, { did }: Account): Promise<Ref> {
  const features = [{ $type: 'app.bsky.richtext.facet#mention', did }]
  return writePost(author, { facets: [{ index: { byteStart: 0, byteEnd: 1 }, features }] })
}

async function notified({ server, accessJwt: auth }: Account): Promise<Notification[]> {
  const listed = await all<Notification>(server, 'app.bsky.notification.listNotifications', 'notifications', {
    params: { limit: '100' },
    auth,
  })
  return listed.map(({ reason, uri }) => ({ reason, uri }))
}

/** Resolves when an account has exactly these notifications, in any order. */
async function expectNotified(account: Account, expected: readonly Notification[]): Promise<void> {
  const lines = (list: readonly Notification[]) => list.map(({ reason, uri }) => `${reason} ${uri}`).sort()
  let found: string[] = []
  const matches = async () => {
    found = lines(await notified(account))
    return found.join() === lines(expected).join() || undefined
  }
  await poll(matches, () => `notified: ${found.join('\n')}\nexpected: ${lines(expected).join('\n')}`)
}

async function handleOf({ server, accessJwt: auth }: Account, actor: string): Promise<string> {
  return (await get(server, 'app.bsky.actor.getProfile', { params: { actor }, auth })).body.handle
}
