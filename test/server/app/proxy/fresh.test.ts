/** Recent writes of an account are added to responses of an app view that does not have them yet. */
import { jsonToLex, lexicons } from '@atproto/api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Account, Answer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

let appView: StubService
let alice: Account
let bob: Account

beforeAll(async () => {
  appView = await StubService.start()
})
afterAll(() => appView.close())
setupServer({
  config: () => ({
    appViewDid: 'did:web:view.test',
    appViewUrl: appView.url,
    allowPrivateTargets: true,
  }),
})
let round = 0
beforeEach(async () => {
  round++
  alice = await server.account(`alice${round}`)
  bob = await server.account(`bob${round}`)
})
afterEach(() => appView.reset())

interface Ref {
  readonly uri: string
  readonly cid: string
}

async function write(collection: string, record: object, rkey?: string): Promise<Ref> {
  const createdAt = server.clock.now().toISOString()
  const input = { repo: alice.did, collection, rkey, record: { createdAt, ...record } }
  const answer = await server.post('com.atproto.repo.createRecord', input, alice)
  expect(answer.status).toBe(200)
  return { uri: answer.body.uri, cid: answer.body.cid }
}
const post = (text: string, more: object = {}) => write('app.bsky.feed.post', { text, ...more })
const replyTo = (parent: Ref, root = parent) => post('a reply', { reply: { parent, root } })

const cid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'
const foreign = (name: string): Ref => ({ uri: `at://did:web:far.test/app.bsky.feed.post/${name}`, cid })

/** A post as the app view has it. @param age in milliseconds */
function viewOf(ref: Ref, age = 10_000) {
  return {
    ...ref,
    author: { did: 'did:web:far.test', handle: 'far.test' },
    record: { $type: 'app.bsky.feed.post', text: 'far' },
    indexedAt: new Date(server.clock.now().getTime() - age).toISOString(),
  }
}

type Params = Record<string, string | string[]>

/** Calls a method. Its response must be valid for the network's client library. */
async function ask(method: string, params: Params = {}, auth = alice): Promise<Answer> {
  const answer = await server.get(method, params, auth)
  if (answer.status === 200 && method.startsWith('app.bsky.')) {
    lexicons.assertValidXrpcOutput(method, jsonToLex(answer.body))
  }
  return answer
}
// biome-ignore lint/suspicious/noExplicitAny: items of every shape
const urisOf = (answer: { body: any }) => answer.body.feed.map(({ post }: { post: Ref }) => post.uri)

describe('a feed', () => {
  test('of the timeline has own fresh posts at their places', async () => {
    const [newer, older] = [viewOf(foreign('newer'), -10_000), viewOf(foreign('older'))]
    appView.respond = json({ feed: [{ post: newer }, { post: older }], cursor: 'c' })
    const own = await post('Hello')
    const answer = await ask('app.bsky.feed.getTimeline')
    expect(urisOf(answer)).toEqual([newer.uri, own.uri, older.uri])
    expect(answer.body.cursor).toBe('c')
    expect(answer.body.feed[1].post).toMatchObject({
      ...own,
      author: { did: alice.did, handle: alice.handle },
      record: { $type: 'app.bsky.feed.post', text: 'Hello' },
      likeCount: 0,
    })
    expect(appView.lastCall.headers['accept-encoding']).toBe('identity')
  })

  test('has no post twice', async () => {
    const own = await post('Hello')
    appView.respond = json({ feed: [{ post: viewOf(own) }] })
    expect(urisOf(await ask('app.bsky.feed.getTimeline'))).toEqual([own.uri])
  })

  test('is as the app view sends it on further pages, for others, and after a minute', async () => {
    await post('Hello')
    appView.respond = json({ feed: [] })
    expect(urisOf(await ask('app.bsky.feed.getTimeline', { cursor: 'c' }))).toEqual([])
    expect(urisOf(await ask('app.bsky.feed.getTimeline', {}, bob))).toEqual([])
    expect(urisOf(await ask('app.bsky.feed.getAuthorFeed', { actor: bob.did }))).toEqual([])
    server.clock.advance(61_000)
    expect(urisOf(await ask('app.bsky.feed.getTimeline'))).toEqual([])
  })

  test('of the author has replies and reposts, as its filter says', async () => {
    const own = await post('Hello')
    const reply = await replyTo(foreign('one'))
    await write('app.bsky.feed.repost', { subject: own })
    appView.respond = json({ feed: [] })
    const feed = (filter: string, actor = alice.did) => ask('app.bsky.feed.getAuthorFeed', { actor, filter })
    const all = await feed('posts_with_replies', alice.handle)
    expect(urisOf(all)).toEqual([own.uri, reply.uri, own.uri])
    expect(all.body.feed[0].reason).toMatchObject({ $type: 'app.bsky.feed.defs#reasonRepost' })
    // The app view knows what it answers, this server does not.
    expect(all.body.feed[1]).not.toHaveProperty('reply')
    expect(urisOf(await feed('posts_no_replies'))).toEqual([own.uri, own.uri])
    expect(urisOf(await feed('posts_with_media'))).toEqual([])
  })

  test('keeps a pinned post first, and leaves what is older than the page to the next one', async () => {
    const own = await post('Hello')
    const pinned = { post: viewOf(foreign('pinned')), reason: { $type: 'app.bsky.feed.defs#reasonPin' } }
    appView.respond = json({ feed: [pinned], cursor: 'c' })
    const params = { actor: alice.did }
    expect(urisOf(await ask('app.bsky.feed.getAuthorFeed', params))).toEqual([pinned.post.uri])
    appView.respond = json({ feed: [pinned, { post: viewOf(foreign('older')) }], cursor: 'c' })
    expect(urisOf(await ask('app.bsky.feed.getAuthorFeed', params))).toEqual([
      pinned.post.uri,
      own.uri,
      foreign('older').uri,
    ])
  })

  test.each([{}, { feed: 1 }, { feed: [1] }, { feed: [{ post: {} }] }, 'text'])(
    'of another shape passes as it is: %j',
    async (body) => {
      await post('Hello')
      appView.respond = json(body)
      expect(await server.get('app.bsky.feed.getTimeline', {}, alice)).toMatchObject({ status: 200, body })
    },
  )
})

test('a response that is nested too deeply to be changed passes as it is', async () => {
  await post('Hello')
  const deep = `{"feed":[],"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  appView.respond = (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(deep)
  const answer = await fetch(`${server.url}/xrpc/app.bsky.feed.getTimeline`, {
    headers: { authorization: `Bearer ${alice.accessJwt}` },
  })
  expect(await answer.text()).toBe(deep)
})

describe('a thread', () => {
  const thread = (ref: Ref, replies: unknown[] = []) => ({
    $type: 'app.bsky.feed.defs#threadViewPost',
    post: viewOf(ref),
    replies,
  })

  test('has own fresh replies, and replies to them', async () => {
    const [root, other] = [foreign('root'), foreign('other')]
    const reply = await replyTo(root)
    const nested = await replyTo(reply, root)
    await replyTo(foreign('elsewhere'))
    appView.respond = json({ thread: thread(root, [thread(other)]) })
    const { body } = await ask('app.bsky.feed.getPostThread', { uri: root.uri })
    expect(body.thread.replies).toMatchObject([
      {
        $type: 'app.bsky.feed.defs#threadViewPost',
        post: { uri: reply.uri },
        replies: [{ post: { uri: nested.uri } }],
      },
      { post: { uri: other.uri } },
    ])
    appView.respond = json({ thread: thread(root, [thread(reply, [thread(nested)])]) })
    const known = await ask('app.bsky.feed.getPostThread', { uri: root.uri })
    expect(known.body.thread.replies).toHaveLength(1)
  })

  test('as a list has own fresh replies below what they answer', async () => {
    const [root, other] = [foreign('root'), foreign('other')]
    const reply = await replyTo(root)
    const value = { $type: 'app.bsky.unspecced.defs#threadItemNoUnauthenticated', author: { did: alice.did } }
    const item = ({ uri }: Ref, depth: number) => ({ uri, depth, value })
    appView.respond = json({ thread: [item(root, 0), item(other, 1)], hasOtherReplies: false })
    const { body } = await ask('app.bsky.unspecced.getPostThreadV2', { anchor: root.uri })
    expect(body.thread.map(({ uri, depth }: { uri: string; depth: number }) => [uri, depth])).toEqual([
      [root.uri, 0],
      [reply.uri, 1],
      [other.uri, 1],
    ])
    expect(body.thread[1].value).toMatchObject({
      $type: 'app.bsky.unspecced.defs#threadItemPost',
      post: { uri: reply.uri },
    })
  })

  test('of a fresh post that the app view does not have is answered here', async () => {
    const own = await post('Hello')
    appView.respond = json({ error: 'NotFound', message: 'Post not found' }, 400)
    const { status, body } = await ask('app.bsky.feed.getPostThread', { uri: own.uri })
    expect(status).toBe(200)
    expect(body.thread).toMatchObject({
      $type: 'app.bsky.feed.defs#threadViewPost',
      post: { uri: own.uri, record: { text: 'Hello' } },
    })
    appView.respond = json({
      thread: [{ uri: own.uri, depth: 0, value: { $type: 'app.bsky.unspecced.defs#threadItemNotFound' } }],
      hasOtherReplies: false,
    })
    const flat = await ask('app.bsky.unspecced.getPostThreadV2', { anchor: own.uri })
    expect(flat.body.thread).toMatchObject([{ value: { post: { uri: own.uri } } }])
    appView.respond = json({ error: 'NotFound', message: 'Post not found' }, 400)
    expect(await ask('app.bsky.feed.getPostThread', { uri: foreign('x').uri })).toMatchObject({ status: 400 })
  })
})

test('own fresh posts are added to the posts that a client asks for', async () => {
  const [own, other] = [await post('Hello'), await post('Another')]
  const known = viewOf(foreign('known'))
  appView.respond = json({ posts: [known] })
  const { body } = await ask('app.bsky.feed.getPosts', { uris: [known.uri, own.uri] })
  expect(body.posts.map(({ uri }: Ref) => uri)).toEqual([known.uri, own.uri])
  expect(other.uri).not.toBe(own.uri)
})

test('an edited profile shows in the own profile, with the counts of the app view', async () => {
  await write('app.bsky.actor.profile', { displayName: 'Alice', description: 'New' }, 'self')
  const stale = {
    did: alice.did,
    handle: alice.handle,
    displayName: 'Old',
    banner: 'https://view.test/banner',
    postsCount: 7,
  }
  appView.respond = json(stale)
  const { body } = await ask('app.bsky.actor.getProfile', { actor: alice.did })
  expect(body).toEqual({
    did: alice.did,
    handle: alice.handle,
    displayName: 'Alice',
    description: 'New',
    postsCount: 7,
  })
  const far = { did: 'did:web:far.test', handle: 'far.test', displayName: 'Far' }
  appView.respond = json({ profiles: [far, stale] })
  const several = await ask('app.bsky.actor.getProfiles', { actors: [far.did, alice.did] })
  expect(several.body.profiles).toMatchObject([far, { displayName: 'Alice' }])
})

test('responses under our own names have our names in them', async () => {
  await post('Hello')
  const own = await post('Again')
  await write('app.bsky.feed.repost', { subject: own })
  appView.respond = json({ feed: [] })
  const { body } = await ask('app.example.feed.getAuthorFeed', { actor: alice.did })
  expect(body.feed[0].reason.$type).toBe('app.example.feed.defs#reasonRepost')
})
