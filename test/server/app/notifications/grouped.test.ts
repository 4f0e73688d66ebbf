/** Notifications in groups, as newer clients ask for them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { day } from '../../../support/server/clock.ts'
import { type Account, refusal } from '../../../support/server/server.ts'
import { alice, bob, carol, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { body, createdAt, mentions, type Ref } from '../../../support/server/social.ts'

setupAccounts()

/** By alice; bob and carol react to it. */
let post: Ref
beforeEach(async () => {
  post = await social.post(alice)
})

const nsid = 'app.example.notification.getGroupedNotifications'
const get = (params: Record<string, string> = {}, account = alice) => server.get(nsid, params, account)
const grouped = async (params: Record<string, string> = {}) => body(await get(params))
const kinds = async (params: Record<string, string> = {}) =>
  (await grouped(params)).groups.map(({ kind }: { kind: { $type: string } }) => kind.$type.split('#')[1])
const items = (...accounts: Account[]) => accounts.map(({ did }) => ({ actor: did }))
const network = (text: string) => text.replaceAll('app.example', 'app.bsky')

describe('a group', () => {
  test('has the likes of a post, newest first, with what they refer to once', async () => {
    await social.like(bob, post)
    await social.like(carol, post)
    const { groups, relatedViews, cursor } = await grouped()
    expect(groups).toEqual([
      {
        id: expect.any(String),
        isRead: false,
        indexedAt: expect.any(String),
        count: 2,
        kind: { $type: `${nsid}#likeGroup`, post: post.uri, items: items(carol, bob) },
      },
    ])
    expect(relatedViews).toMatchObject([
      { $type: 'app.example.actor.defs#profileViewDetailed', did: carol.did },
      { $type: 'app.example.actor.defs#profileViewDetailed', did: bob.did },
      { $type: 'app.example.feed.defs#postView', uri: post.uri, likeCount: 2 },
    ])
    expect(cursor).toBeUndefined()
  })

  test('has the names of the caller', async () => {
    await social.like(bob, post)
    const { groups, relatedViews } = body(await server.get(network(nsid), {}, alice))
    expect(groups[0].kind).toMatchObject({ $type: network(`${nsid}#likeGroup`), post: network(post.uri) })
    expect(relatedViews.map(({ $type }: { $type: string }) => $type)).toContain('app.bsky.feed.defs#postView')
  })

  test('is of one reason, one subject and two days', async () => {
    const other = await social.post(alice)
    await social.like(bob, post)
    await social.like(bob, other)
    await social.repost(bob, post)
    server.clock.advance(3 * day)
    const later = async (account: Account) => ({ ...account, ...(await server.signIn(account)).body })
    await social.like(await later(carol), post)
    const { groups } = body(await get({}, await later(alice)))
    expect(groups.map(({ count }: { count: number }) => count)).toEqual([1, 1, 1, 1])
  })

  test('is read up to the seen marker', async () => {
    await social.like(bob, post)
    server.clock.advance(1_000)
    await social.call('updateSeen', { seenAt: server.clock.now().toISOString() }, alice)
    server.clock.advance(1_000)
    await social.repost(carol, post)
    const { groups, seenAt } = await grouped()
    expect(groups.map(({ isRead }: { isRead: boolean }) => isRead)).toEqual([false, true])
    expect(seenAt).toMatch(/Z$/)
  })

  test('is left out when its post is deleted', async () => {
    const answer = await social.post(bob, mentions(alice))
    expect(await kinds()).toEqual(['mentionNotification'])
    await social.remove(bob, answer)
    expect(await grouped()).toMatchObject({ groups: [], relatedViews: [] })
  })
})

describe('kinds', () => {
  test('of posts stay single, and name the post that they reply to', async () => {
    const reply = await social.reply(bob, post)
    const quote = await social.quote(carol, post)
    const { groups } = await grouped()
    expect(groups.map(({ kind }: { kind: object }) => kind)).toEqual([
      { $type: `${nsid}#quoteNotification`, post: quote.uri },
      { $type: `${nsid}#replyNotification`, post: reply.uri, parent: post.uri },
    ])
  })

  test('of reposts name the repost at which they were made', async () => {
    const original = await social.post(carol)
    const repost = await social.repost(alice, original)
    const via = { subject: original, via: repost, createdAt }
    await social.write(bob, 'app.example.feed.like', via)
    const { groups } = await grouped()
    expect(groups[0].kind).toEqual({
      $type: `${nsid}#likeViaRepostGroup`,
      post: original.uri,
      viaRepost: repost.uri,
      items: items(bob),
    })
  })

  test('of follows: those of followed accounts stay single', async () => {
    await social.follow(alice, carol)
    await social.follow(bob, alice)
    await social.follow(carol, alice)
    expect(await kinds()).toEqual(['followBackNotification', 'followGroup'])
    // Whom the viewer follows later did not follow back.
    await social.follow(alice, bob)
    expect(await kinds()).toEqual(['followBackNotification', 'followGroup'])
  })

  test('of subscriptions have the posts of one account', async () => {
    await social.subscribe(alice, bob, true, false)
    await social.subscribe(alice, carol, true, false)
    for (const author of [bob, carol, bob]) await social.post(author)
    const { groups } = await grouped({ feed: 'activity' })
    expect(groups.map(({ count }: { count: number }) => count)).toEqual([2, 1])
  })
})

test('feeds have their reasons; preferences apply to all; any other name means all', async () => {
  await social.follow(alice, bob)
  await social.follow(bob, alice)
  await social.like(bob, post)
  await social.reply(carol, post)
  expect(await kinds({ feed: 'people-i-follow' })).toEqual(['likeGroup', 'followBackNotification'])
  expect(await kinds({ feed: 'conversations' })).toEqual(['replyNotification'])
  expect(await kinds({ feed: 'followers' })).toEqual(['followBackNotification'])
  expect(await kinds({ feed: 'activity' })).toEqual([])
  expect(await kinds({ feed: 'constructor' })).toHaveLength(3)
  await social.call('putPreferencesV2', { like: { include: 'all', list: false, push: true } }, alice)
  expect(await kinds()).toEqual(['replyNotification', 'followBackNotification'])
})

test('pages have every notification, and a malformed cursor is refused', async () => {
  const made: string[] = []
  for (let n = 0; n < 5; n++) made.unshift((await social.quote(bob, post)).uri)
  const found: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: { groups: { kind: { post: string } }[]; cursor?: string } = await grouped({
      limit: '2',
      ...(cursor && { cursor }),
    })
    found.push(...page.groups.map(({ kind }) => kind.post))
    cursor = page.cursor
  }
  expect(found).toEqual(made)
  expect(await get({ cursor: 'x' })).toMatchObject(refusal(400, 'InvalidRequest'))
})
