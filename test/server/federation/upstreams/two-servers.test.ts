/**
 * Two servers, each a process with its own data folder, read each other's event streams, twice each, without a directory or any
 * other third party. Both have the settings and the address of a new desktop installation, and both have an `alice.test`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tidOf } from '../../../support/records/tid.ts'
import { PeerServer } from '../../../support/server/peer-server.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import {
  body,
  createdAt,
  feed,
  graph,
  mentions,
  type Ref,
  SocialServer,
  someList,
} from '../../../support/server/social.ts'

interface Side {
  readonly server: PeerServer
  readonly social: SocialServer
}

let here: Side
let there: Side
let names = 0

beforeAll(async () => {
  ;[here, there] = await Promise.all([start(), start()])
  await Promise.all([connect(here, there), connect(there, here)])
})
afterAll(() => Promise.all([here.server.close(), there.server.close()]))

async function start(): Promise<Side> {
  const server = await PeerServer.start()
  await server.account('alice')
  return { server, social: SocialServer.on(server) }
}

/** Reads the stream of the other side through both of its addresses, so that each event arrives twice. */
async function connect({ server }: Side, other: Side): Promise<void> {
  for (const { url } of other.server.addresses) await server.follow(url)
}

/** Creates accounts with the same handles on both sides: `[[here, there], …]` */
async function people<const Names extends readonly string[]>(...wanted: Names) {
  const number = ++names
  const pairs = wanted.map((name) =>
    Promise.all([here.server.account(`${name}${number}`), there.server.account(`${name}${number}`)]),
  )
  return (await Promise.all(pairs)) as { [Name in keyof Names]: [Account, Account] }
}

/** The notifications of an account, sorted: `like at://… of at://…`. */
async function notified({ social }: Side, account: Account): Promise<string[]> {
  const { notifications } = await social.list(account, { limit: '100' })
  return notifications.map(lineOf).sort()
}

interface Notification {
  readonly reason: string
  readonly uri: string
  readonly reasonSubject?: string
}

const lineOf = ({ reason, uri, reasonSubject }: Notification) =>
  `${reason} ${uri} of ${reasonSubject ?? 'account'}`

/** Resolves when an account has exactly these notifications. */
async function gets(side: Side, account: Account, expected: readonly Notification[]): Promise<void> {
  await expect.poll(() => notified(side, account), { interval: 20 }).toEqual(expected.map(lineOf).sort())
}

/** Resolves when everything that happened on the other side has arrived. */
async function arrived(side: Side, other: Side): Promise<void> {
  const number = ++names
  const [post, author] = [
    await side.server.account(`post${number}`),
    await other.server.account(`last${number}`),
  ]
  const { uri } = await other.social.follow(author, post)
  await gets(side, post, [{ reason: 'follow', uri }])
}

/** An account of one side does all that notifies an account of the other side. Returns the notifications. */
async function everything(
  [to, recipient]: readonly [Side, Account],
  [from, author]: readonly [Side, Account],
  third: Account,
): Promise<Notification[]> {
  const post = await to.social.post(recipient)
  const repost = await to.social.repost(recipient, await to.social.post(third))
  const packRecord = { name: 'Pack', list: someList, createdAt }
  const pack = await to.social.write(recipient, `${graph}.starterpack`, packRecord)
  const { social } = from
  const profile = { joinedViaStarterPack: pack }
  const of = ({ uri: reasonSubject }: Ref) => ({ reasonSubject })
  const itself = (reason: string, ref: Ref) => ({ reason, ...ref, ...of(ref) })
  // A like and a repost via the repost are of the post, too, which was liked and reposted before: that notifies once.
  return [
    { reason: 'follow', ...(await social.follow(author, recipient)) },
    { reason: 'like', ...(await social.like(author, post)), ...of(post) },
    { reason: 'repost', ...(await social.repost(author, post)), ...of(post) },
    { reason: 'reply', ...(await social.reply(author, post)), ...of(post) },
    { reason: 'quote', ...(await social.quote(author, post)), ...of(post) },
    { reason: 'mention', ...(await social.post(author, mentions(recipient))) },
    { reason: 'like-via-repost', ...(await social.like(author, post, repost)), ...of(repost) },
    { reason: 'repost-via-repost', ...(await social.repost(author, post, repost)), ...of(repost) },
    itself('verified', await social.verify(author, recipient)),
    { reason: 'subscribed-post', ...(await social.post(author)) },
    {
      reason: 'starterpack-joined',
      ...(await social.put(author, 'app.example.actor.profile', 'self', profile)),
      ...of(pack),
    },
  ]
}

describe('two servers that read each other', () => {
  test('every kind of notification arrives exactly once, in both directions', async () => {
    const [[alice, otherAlice], [bob, otherBob], [carol, otherCarol]] = await people('alice', 'bob', 'carol')
    const subscribed = await here.social.subscribe(alice, otherAlice, true, false)
    expect(subscribed).toMatchObject({ status: 200 })
    expect(await there.social.subscribe(otherBob, bob, true, false)).toMatchObject({ status: 200 })
    const [atHere, atThere] = await Promise.all([
      everything([here, alice], [there, otherAlice], carol),
      everything([there, otherBob], [here, bob], otherCarol),
    ])
    await Promise.all([gets(here, alice, atHere), gets(there, otherBob, atThere)])
    await Promise.all([arrived(here, there), arrived(there, here)])
    await Promise.all([gets(here, alice, atHere), gets(there, otherBob, atThere)])
    expect(await here.social.unread(alice)).toBe(atHere.length)
  })

  test('accounts with the same handle on both sides have different names', async () => {
    const [[alice, otherAlice]] = await people('alice')
    await there.social.follow(otherAlice, alice)
    await expect
      .poll(async () => (await here.social.list(alice)).notifications[0]?.author.handle, {
        interval: 20,
      })
      .toMatch(new RegExp(`^${alice.handle.replace('.test', '')}\\.127-0-0-1-\\d+\\.test$`))
    const { handle } = (await here.social.list(alice)).notifications[0].author
    const profile = async (actor: string) =>
      body(await here.server.get('app.example.actor.getProfile', { actor }, alice))
    expect(await profile(handle)).toMatchObject({ did: otherAlice.did, followsCount: 1 })
    expect(await profile(alice.handle)).toMatchObject({ did: alice.did, followersCount: 1 })
  })

  test('edits and deletions take notifications, counts and posts back', async () => {
    const [[alice, otherAlice]] = await people('alice')
    const post = await here.social.post(alice)
    const { social } = there
    const [like, reply, follow] = [
      await social.like(otherAlice, post),
      await social.reply(otherAlice, post),
      await social.follow(otherAlice, alice),
    ]
    const edited = await social.put(otherAlice, `${feed}.post`, tidOf(1), {
      text: 'a post',
      createdAt,
      ...mentions(alice),
    })
    await gets(here, alice, [
      { reason: 'like', ...like, reasonSubject: post.uri },
      { reason: 'reply', ...reply, reasonSubject: post.uri },
      { reason: 'follow', ...follow },
      { reason: 'mention', ...edited },
    ])
    expect(await countsOf(alice, post)).toEqual({ likeCount: 1, replyCount: 1, followersCount: 1 })
    await social.put(otherAlice, `${feed}.post`, tidOf(1), { text: 'a post', createdAt })
    for (const ref of [like, reply, follow]) await social.remove(otherAlice, ref)
    await gets(here, alice, [])
    expect(await countsOf(alice, post)).toEqual({ likeCount: 0, replyCount: 0, followersCount: 0 })
  })

  test('replies of the other side are in the thread, posts of followed accounts in the timeline', async () => {
    const [[alice, otherAlice]] = await people('alice')
    await here.social.follow(alice, otherAlice)
    const post = await here.social.post(alice)
    const reply = await there.social.reply(otherAlice, post, post, { text: 'from there' })
    const news = await there.social.post(otherAlice, { text: 'news' })
    await arrived(here, there)
    const { thread } = body(await here.server.get('app.example.feed.getPostThread', { uri: post.uri }, alice))
    expect(thread.replies).toMatchObject([
      { post: { uri: reply.uri, author: { did: otherAlice.did }, record: { text: 'from there' } } },
    ])
    const timeline = body(await here.server.get('app.example.feed.getTimeline', {}, alice)).feed
    expect(timeline.map((item: { post: Ref }) => item.post.uri)).toContain(news.uri)
  })

  test('a change of a handle is shown', async () => {
    const [[alice, otherAlice]] = await people('alice')
    await there.social.follow(otherAlice, alice)
    await arrived(here, there)
    const handle = `renamed${names}.test`
    body(await there.server.post('com.core.identity.updateHandle', { handle }, otherAlice))
    await expect
      .poll(async () => (await here.social.list(alice)).notifications[0].author.handle, {
        interval: 20,
      })
      .toBe(handle)
  })

  test('takedown and deactivation hide, their end shows again, deletion removes', async () => {
    const [[alice, otherAlice], [, otherBob]] = await people('alice', 'bob')
    const follows = [
      { reason: 'follow', ...(await there.social.follow(otherAlice, alice)) },
      { reason: 'follow', ...(await there.social.follow(otherBob, alice)) },
    ] as const
    await gets(here, alice, follows)
    await there.server.setStatus(otherAlice.did, { takedown: true })
    await there.server.setStatus(otherBob.did, { deactivated: true })
    await gets(here, alice, [])
    await there.server.setStatus(otherAlice.did, { takedown: false })
    await there.server.setStatus(otherBob.did, { deactivated: false })
    await gets(here, alice, follows)
    body(await there.server.post('com.core.admin.deleteAccount', { did: otherAlice.did }, adminAuth))
    await gets(here, alice, [follows[1]])
  })

  test('authors that are blocked or muted do not notify', async () => {
    const [[alice, otherAlice], [, otherBob]] = await people('alice', 'bob')
    await here.social.write(alice, `${graph}.block`, { subject: otherAlice.did, createdAt })
    body(await here.server.post('app.example.graph.muteActor', { actor: otherBob.did }, alice))
    const post = await here.social.post(alice)
    for (const author of [otherAlice, otherBob]) {
      await there.social.follow(author, alice)
      await there.social.like(author, post)
      await there.social.reply(author, post)
    }
    await arrived(here, there)
    await gets(here, alice, [])
    expect(await here.social.unread(alice)).toBe(0)
  })

  test('nothing is lost or repeated when either side is killed', async () => {
    const [[alice, otherAlice]] = await people('alice')
    const posts = [await here.social.post(alice), await there.social.post(otherAlice)] as const
    const restarts: Promise<void>[] = []
    const kill = ({ server }: Side) => void restarts.push(server.restart().then(reconnect))
    const [atHere = [], atThere = []] = await Promise.all([
      replies([there, otherAlice], posts[0], 45, (number) => {
        if (number === 10) kill(here)
        if (number === 30) kill(there)
      }),
      replies([here, alice], posts[1], 45),
    ])
    await Promise.all(restarts)
    await Promise.all([gets(here, alice, atHere), gets(there, otherAlice, atThere)])
    await Promise.all([arrived(here, there), arrived(there, here)])
    await Promise.all([gets(here, alice, atHere), gets(there, otherAlice, atThere)])
  })
})

/** Has both servers connect at once, instead of after a delay that grows. */
async function reconnect(): Promise<void> {
  for (const [{ server }, other] of [
    [here, there],
    [there, here],
  ] as const) {
    for (const { url } of other.server.addresses) {
      await server.insist(() => server.post('com.core.admin.retryUpstream', { url }, adminAuth))
    }
  }
}

/** Replies to a post a number of times, whether or not the servers are killed meanwhile. */
async function replies(
  [{ server }, author]: readonly [Side, Account],
  subject: Ref,
  count: number,
  onWritten: (number: number) => void = () => {},
): Promise<Notification[]> {
  const written: Notification[] = []
  for (let number = 0; number < count; number++) {
    const record = { text: 'a reply', reply: { root: subject, parent: subject }, createdAt }
    const input = { repo: author.did, collection: `${feed}.post`, rkey: tidOf(number), record }
    const { uri } = body(await server.insist(() => server.post('com.core.repo.putRecord', input, author)))
    written.push({ reason: 'reply', uri, reasonSubject: subject.uri })
    onWritten(number)
  }
  return written
}

async function countsOf(author: Account, post: Ref) {
  const { posts } = body(await here.server.get('app.example.feed.getPosts', { uris: post.uri }, author))
  const profile = body(await here.server.get('app.example.actor.getProfile', { actor: author.did }, author))
  const { likeCount, replyCount } = posts[0]
  return { likeCount, replyCount, followersCount: profile.followersCount }
}

test('servers without accounts and with the same address follow each other, but none follows itself', async () => {
  const settings = { publicUrl: 'http://localhost:2583' }
  const [one, other] = await Promise.all([TestServer.start(settings), TestServer.start(settings)])
  const add = (url: string) => one.post('com.core.admin.addUpstream', { url }, adminAuth)
  expect(await add(other.url)).toMatchObject({ status: 200, body: { url: other.url } })
  expect(await add(one.url)).toMatchObject(refusal(400, 'OwnServer'))
  const alias = one.url.replace('127.0.0.1', 'localhost')
  expect(await add(alias)).toMatchObject(refusal(400, 'OwnServer'))
  await Promise.all([one.close(), other.close()])
})
