/** How much other servers can make this one store, and what makes room. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createIntake } from '../../../../server/federation/remote/intake.ts'
import { createLimits } from '../../../../server/federation/remote/limits/limits.ts'
import { StoreFull, StoreUnavailable } from '../../../../server/store/files/store-errors.ts'
import { counts, mention, RemoteAuthor, reply, stored } from '../../../support/remote/remote-author.ts'
import { hour, minute } from '../../../support/server/clock.ts'
import { type Account, adminAuth, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { type Ref, SocialServer } from '../../../support/server/social.ts'

let names = 0

setupServer()

const account = () => server.account(`alice${++names}`)
const remote = () => new RemoteAuthor(server)
const ignore = () => undefined
const skipped = counts({ skipped: 1 })

test('remote records are refused, and nothing is called, while less than twice the reserve is free', async () => {
  const diskReserve = 1_000_000
  let free = 2 * diskReserve
  const options = { freeBytes: async () => free }
  const full = await TestServer.start({ diskReserve, logLevel: 'warn' }, undefined, options)
  try {
    const alice = await full.account('alice')
    const bob = new RemoteAuthor(full)
    let calls = 0
    const apply = async () => {
      await full.running.services.store.freeSpace.refresh()
      const follow = await bob.change('app.bsky.graph.follow', { subject: alice.did })
      return bob.apply([follow], { last: () => void calls++ })
    }
    expect(await apply()).toEqual(stored)
    expect(calls).toBe(1)
    free--
    await expect(apply()).rejects.toThrow(StoreFull)
    await expect(apply()).rejects.toThrow(StoreFull)
    expect(full.logged.filter((line) => line.includes('store full'))).toHaveLength(1)
    expect(calls).toBe(1)
    const record = { text: 'Hello' }
    const input = { repo: alice.did, collection: 'org.example.thing', record }
    expect((await full.post('com.core.repo.createRecord', input, alice)).status).toBe(200)
    free++
    expect(await apply()).toEqual(stored)
    expect(calls).toBe(2)
  } finally {
    await full.close()
  }
})

describe('what other servers can make this one store', () => {
  test('is limited by author', async () => {
    const [alice, bob] = [await account(), remote()]
    const post = () => bob.change('app.bsky.feed.post', { text: 'Hello', ...mention(alice) })
    const posts = await Promise.all(Array.from({ length: 305 }, post))
    expect(await bob.apply(posts)).toEqual(counts({ stored: 300, overBudget: 5 }))
    expect((await remote().follow(alice)).applied).toEqual(stored)
    server.clock.advance(hour)
    expect(await bob.apply(posts.slice(300))).toEqual(counts({ stored: 5 }))
  })

  test('is limited in all: old posts go first, what notified stays, then new records are refused', async () => {
    const small = await TestServer.start({ remoteLimit: 60_000 })
    try {
      const alice = await small.account('alice')
      const writers = Array.from({ length: 55 }, () => new RemoteAuthor(small))
      const follow = ({ did }: { did: string }) => SocialServer.on(small).follow(alice, { did })
      await Promise.all(writers.slice(0, 25).map(follow))
      const long = 'x'.repeat(800)
      const write = async (author: RemoteAuthor, more = {}) => (await author.post(long, more)).applied
      for (const author of writers.slice(0, 24)) expect(await write(author)).toEqual(stored)
      for (const author of writers.slice(0, 25)) expect(await write(author, mention(alice))).toEqual(stored)
      const refused = await Promise.all(writers.slice(25).map((author) => write(author, mention(alice))))
      expect(refused).toContainEqual(counts({ overBudget: 1 }))
      const { body } = await small.get('app.bsky.notification.listNotifications', { limit: '100' }, alice)
      expect(body.notifications.length).toBeGreaterThanOrEqual(25)
      const network = await small.get('com.core.admin.getNetwork', {}, adminAuth)
      const { records, bytes, limit } = network.body.remoteRecords
      expect([records >= 25, bytes <= limit, limit]).toEqual([true, true, 60_000])
    } finally {
      await small.close()
    }
  })
})

describe('room for records of other servers', () => {
  let small: TestServer
  let alice: Account
  let post: Ref
  beforeAll(async () => {
    small = await TestServer.start({ remoteLimit: 60_000, logLevel: 'warn' })
    alice = await small.account('alice')
    post = await SocialServer.on(small).post(alice)
  })
  afterAll(() => small.close())

  const author = () => new RemoteAuthor(small)
  const authors = (count: number) => Array.from({ length: count }, author)
  const likeOf = (one: RemoteAuthor) => one.change('app.bsky.feed.like', { subject: post })
  const followOf = (one: RemoteAuthor) => one.change('app.bsky.graph.follow', { subject: alice.did })
  const replyOf = (one: RemoteAuthor) =>
    one.change('app.bsky.feed.post', { text: 'x'.repeat(800), ...reply(post) })
  const nameOf = ({ did, collection, rkey, content }: Awaited<ReturnType<typeof likeOf>>): Ref => ({
    uri: `at://${did}/${collection}/${rkey}`,
    cid: content?.cid ?? '',
  })
  const readAll = () =>
    SocialServer.on(small).call('updateSeen', { seenAt: small.clock.now().toISOString() }, alice)
  const room = async () => {
    const { body } = await small.get('com.core.admin.getNetwork', {}, adminAuth)
    return body.remoteRecords
  }
  const purge = async () => {
    expect(await small.post('com.core.admin.purgeRemoteRecords', undefined, adminAuth)).toMatchObject({
      status: 200,
    })
    await small.running.services.background.idle()
  }
  /** The URIs of alice's notifications. */
  const listed = async (): Promise<Set<string>> => {
    const { body } = await small.get('app.bsky.notification.listNotifications', { limit: '100' }, alice)
    return new Set(body.notifications.map(({ uri }: { uri: string }) => uri))
  }
  const isListed = async (changes: readonly Parameters<typeof nameOf>[0][]) => {
    const all = await listed()
    return changes.map((change) => all.has(nameOf(change).uri))
  }
  const likes = async () =>
    (await small.get('app.bsky.feed.getPosts', { uris: [post.uri] })).body.posts[0].likeCount

  test('the owner deletes what has been read, and none of it notifies again', async () => {
    const [bob, carla, friend, blocker] = [author(), author(), author(), author()]
    const social = SocialServer.on(small)
    await social.follow(alice, friend)
    const [like, follow, answered, back] = await Promise.all([
      likeOf(bob),
      followOf(bob),
      replyOf(carla),
      followOf(friend),
    ])
    const profile = await bob.change('app.bsky.actor.profile', { displayName: 'Bob' }, { rkey: 'self' })
    const block = await blocker.change('app.bsky.graph.block', { subject: alice.did })
    const shown = await friend.change('app.bsky.feed.post', { text: 'Hello' })
    const read = [like, follow, profile, answered, back, block, shown]
    expect(await bob.apply(read)).toEqual(counts({ stored: 7 }))
    await social.like(alice, nameOf(answered))
    await readAll()
    const unread = await replyOf(carla)
    await carla.apply([unread])

    await purge()
    expect(await isListed([like, follow, answered, back, unread])).toEqual([false, false, true, true, true])
    expect(await likes()).toBe(0)
    expect(await room()).toMatchObject({ records: 4, isPurging: false })
    expect(await blocker.apply([block])).toEqual(skipped)
    const timeline = await small.get('app.bsky.feed.getTimeline', {}, alice)
    expect(timeline.body.feed).toHaveLength(1)

    // As another source reports them, or the repository is read.
    expect(await bob.apply([like])).toEqual(stored)
    expect(await bob.apply([follow], { notify: false })).toEqual(stored)
    expect(await bob.apply([like, follow])).toEqual(counts({ skipped: 2 }))
    expect(await likes()).toBe(1)
    expect(await isListed([like, follow])).toEqual([false, false])
    expect(await small.get('app.bsky.notification.getUnreadCount', {}, alice)).toMatchObject({
      body: { count: 1 },
    })
    await readAll()
    await purge()
    expect(await bob.apply([like])).toEqual(stored)
    expect(await isListed([like, unread])).toEqual([false, false])
    const again = await bob.change('app.bsky.feed.like', undefined, { rkey: like.rkey })
    const relike = await bob.change('app.bsky.feed.like', { subject: post }, { rkey: like.rkey })
    expect(await bob.apply([again, relike])).toEqual(counts({ deleted: 1, stored: 1 }))
    expect(await isListed([like])).toEqual([true])
  })

  test('is made by evicting what has been read: likes, then posts, then follows, each from the oldest on', async () => {
    await readAll()
    await purge()
    const social = SocialServer.on(small)
    const writers = authors(20)
    const [friend, blocker] = [author(), author()]
    await social.follow(alice, friend)
    const block = await blocker.change('app.bsky.graph.block', { subject: alice.did })
    const back = await followOf(friend)
    const follows = await Promise.all(writers.slice(0, 12).map(followOf))
    const replies = await Promise.all(writers.slice(0, 16).map(replyOf))
    const readLikes = await Promise.all(writers.map(likeOf))
    await friend.apply([block, back, ...follows, ...replies, ...readLikes])
    const [liked, saved] = [nameOf(replies[0] as never), nameOf(replies[1] as never)]
    await social.like(alice, liked)
    await small.post('app.bsky.bookmark.createBookmark', { ...saved }, alice)
    await readAll()
    const used = [true, true, ...Array.from({ length: 14 }, () => false)]
    const all = (value: boolean, { length }: { readonly length: number }) =>
      Array.from({ length }, () => value)
    const unread: Parameters<typeof nameOf>[0][] = []
    const fill = async (count: number) => {
      const more = await Promise.all(authors(count).map(replyOf))
      const applied = await friend.apply(more)
      unread.push(...more.slice(0, applied.stored))
      return applied
    }

    expect(await fill(12)).toEqual(counts({ stored: 12 }))
    const left = await isListed(readLikes)
    expect(left).toEqual(left.toSorted())
    expect([left[0], left.at(-1)]).toEqual([false, true])
    expect(await likes()).toBe(left.filter(Boolean).length)
    expect(await isListed(replies)).toEqual(all(true, replies))

    expect(await fill(12)).toEqual(counts({ stored: 12 }))
    expect(await isListed(readLikes)).toEqual(all(false, readLikes))
    const leftReplies = await isListed(replies)
    expect([leftReplies[0], leftReplies[1], leftReplies[2], leftReplies[15]]).toEqual([
      true,
      true,
      false,
      true,
    ])
    expect(await isListed(follows)).toEqual(all(true, follows))

    const { stored: some, overBudget } = await fill(30)
    expect([some > 0, overBudget > 0]).toEqual([true, true])
    expect(await isListed(replies)).toEqual(used)
    expect(await isListed([...follows, back])).toEqual([...all(false, follows), true])
    expect(await isListed(unread)).toEqual(all(true, unread))
    const { bytes, limit, lastRefusedAt } = await room()
    expect([bytes <= limit, typeof lastRefusedAt]).toEqual([true, 'string'])

    small.clock.advance(minute)
    expect(await fill(2)).toEqual(counts({ overBudget: 2 }))
    expect(small.logged.filter((line) => line.includes('limit of remote records reached'))).toHaveLength(1)
    const { config, running, clock } = small
    const { services } = running
    const { filter } = services.federation
    const limits = createLimits({ ...services, config, now: clock.now })
    const deps = { ...services, filter, limits, now: clock.now, signal: AbortSignal.abort() }
    const none = { recordCreated: ignore, recordUpdated: ignore, recordDeleted: ignore }
    const closing = createIntake({ ...deps, silent: none, notifying: none, hasNotified: () => false })
    const last = () => expect.unreachable('the source would not send it again')
    await expect(closing.apply('', [await replyOf(author())], { last })).rejects.toThrow(StoreUnavailable)

    await readAll()
    small.clock.advance(minute)
    expect(await fill(1)).toEqual(stored)
    expect(await isListed([unread[0] as never, unread.at(-1) as never])).toEqual([false, true])
  })
})
