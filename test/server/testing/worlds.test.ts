/** Worlds that are loaded into a server, as clients read them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pictureOf } from '../../../server/testing/worlds/pictures.ts'
import {
  beginOf,
  createSample,
  friends,
  type LoadedWorld,
  loadWorld,
  readWorld,
  type World,
} from '../../../server/testing/worlds/worlds.ts'
import { TestServer } from '../../support/server/server.ts'
import { type TracedDeps, worldDeps } from '../../support/server/world-deps.ts'

interface Loaded {
  readonly server: TestServer
  readonly deps: TracedDeps
  readonly end: Date
  readonly world: LoadedWorld
  /** The output of a query by an account of the world. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  get(by: string, nsid: string, params?: Record<string, string>): Promise<any>
}

const open: TestServer[] = []

/** Loads a world that ends 30 days after the start of the server. */
async function load(world: World): Promise<Loaded> {
  const server = await TestServer.start()
  open.push(server)
  const deps = worldDeps([server])
  const end = new Date(deps.now().getTime() + 30 * 86_400_000)
  await deps.passUntil(beginOf(world, end))
  const loaded = await loadWorld(world, deps, end)
  return {
    ...{ server, deps, end, world: loaded },
    async get(by, nsid, params = {}) {
      const { session } = loaded.accounts[by] as LoadedWorld['accounts'][string]
      const answer = await server.get(nsid, params, session)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return answer.body
    },
  }
}

afterAll(async () => {
  for (const server of open) await server.close()
})

describe('friends', () => {
  let loaded: Loaded

  beforeAll(async () => {
    loaded = await load(friends)
  })

  test('the accounts have handles, passwords, sessions and profiles', async () => {
    const { alice } = loaded.world.accounts
    expect(alice).toMatchObject({
      ...{ handle: 'alice.test', password: 'alice-password', email: 'alice@mail.test', server: 0 },
      appPasswords: { Phone: expect.stringMatching(/^\w{4}(-\w{4}){3}$/) },
    })
    const signIn = await loaded.server.signIn(alice as { handle: string; password: string })
    expect(signIn.body.did).toBe(alice?.did)
    const profile = await loaded.get('bob', 'app.bsky.actor.getProfile', { actor: 'alice.test' })
    expect(profile).toMatchObject({
      ...{ displayName: 'Alice Okafor', avatar: expect.stringContaining('http') },
      ...{ followersCount: 2, followsCount: 2, postsCount: 5 },
    })
  })

  test('the timeline has the posts of those followed, newest first, with their times', async () => {
    const { feed } = await loaded.get('alice', 'app.bsky.feed.getTimeline')
    const uris = feed.map(({ post }: { post: { uri: string } }) => post.uri)
    const { posts } = loaded.world
    expect(uris.slice(0, 4)).toEqual(
      [posts.tea, posts.hands, posts.counted, posts.curlews].map((post) => post?.uri),
    )
    expect(feed[0].post.record.createdAt).toBe(new Date(loaded.end.getTime() - 3_600_000).toISOString())
    expect(Date.parse(feed[0].post.indexedAt) - Date.parse(feed[0].post.record.createdAt)).toBeLessThan(1000)
  })

  test('a thread, a quote, a picture, labels, facets and gates', async () => {
    const { posts, accounts } = loaded.world
    const thread = await loaded.get('alice', 'app.bsky.feed.getPostThread', { uri: posts.hello?.uri ?? '' })
    expect(thread.thread.replies[0].replies[0].post.record).toMatchObject({
      text: 'Umbrella. It stands next to them.',
      reply: { root: posts.hello, parent: posts.name },
    })
    const view = async (id: string) => {
      const { thread } = await loaded.get('alice', 'app.bsky.feed.getPostThread', {
        uri: posts[id]?.uri ?? '',
      })
      return thread.post
    }
    expect(await view('counted')).toMatchObject({
      embed: { record: { value: { text: 'First count of the season: 214 curlews.' } } },
    })
    expect(await view('hands')).toMatchObject({ labels: [{ val: 'graphic-media' }] })
    const bread = await view('bread')
    expect(bread).toMatchObject({
      record: {
        text: 'The first loaf. @bob.test and @carol.test, you are invited. #bread',
        tags: ['baking'],
      },
      embed: { images: [{ alt: 'A loaf of bread on a board', aspectRatio: { width: 320, height: 200 } }] },
      ...{ likeCount: 1, repostCount: 1 },
    })
    expect(bread.record.facets.map(({ features: [feature] }: { features: object[] }) => feature)).toEqual([
      { $type: 'app.bsky.richtext.facet#mention', did: accounts.bob?.did },
      { $type: 'app.bsky.richtext.facet#mention', did: accounts.carol?.did },
      { $type: 'app.bsky.richtext.facet#tag', tag: 'bread' },
    ])
    const [blob] = bread.embed.images
    const picture = await fetch(blob.fullsize)
    expect(picture.status).toBe(200)
    expect(await view('wheels')).toMatchObject({
      threadgate: {
        record: { allow: [{ $type: expect.stringContaining('followerRule') }, { list: expect.any(String) }] },
      },
      viewer: { like: expect.any(String), embeddingDisabled: true },
    })
  })

  test('notifications of follows, likes, mentions, replies, reposts and subscriptions, seen until the given time', async () => {
    const { notifications } = await loaded.get('alice', 'app.bsky.notification.listNotifications')
    const shown = notifications.map(
      (one: { reason: string; isRead: boolean; author: { handle: string } }) =>
        `${one.author.handle} ${one.reason}${one.isRead ? '' : ' unread'}`,
    )
    expect(shown).toEqual([
      'bob.test subscribed-post unread',
      'bob.test subscribed-post unread',
      'carol.test like',
      'bob.test repost',
      'carol.test reply',
      'carol.test like',
      'bob.test like',
      'bob.test reply',
      'carol.test follow',
      'bob.test follow',
    ])
    const ofBob = await loaded.get('bob', 'app.bsky.notification.listNotifications')
    expect(ofBob.notifications.map(({ reason }: { reason: string }) => reason)).toContain('mention')
  })

  test('blocks, mutes, lists and preferences', async () => {
    const { accounts, lists } = loaded.world
    const { blocks } = await loaded.get('carol', 'app.bsky.graph.getBlocks')
    expect(blocks).toMatchObject([{ did: accounts.bob?.did }])
    const { mutes } = await loaded.get('bob', 'app.bsky.graph.getMutes')
    expect(mutes).toMatchObject([{ did: accounts.carol?.did }])
    const list = await loaded.get('alice', 'app.bsky.graph.getList', { list: lists.town?.uri ?? '' })
    expect(list.list).toMatchObject({ name: 'People in town', purpose: 'app.bsky.graph.defs#curatelist' })
    expect(list.items).toHaveLength(2)
    const { preferences } = await loaded.get('alice', 'app.bsky.actor.getPreferences')
    expect(preferences).toContainEqual({ $type: 'app.bsky.actor.defs#adultContentPref', enabled: false })
    const notifications = await loaded.get('alice', 'app.bsky.notification.getPreferences')
    expect(notifications.preferences.like).toEqual({ include: 'follows', list: true, push: false })
  })

  test('only names of the network are called', () => {
    expect(loaded.deps.calls.filter((nsid) => !/^(com\.atproto|app\.bsky)\./.test(nsid))).toEqual([])
  })
})

test('states, undone records, lists that are blocked and muted, and addresses', async () => {
  const { get, world, server } = await load({
    start: '-5d',
    accounts: [
      { name: 'alice', emailConfirmed: true, email: 'alice@town.example', handle: 'alice-of-town.test' },
      { name: 'bob', email: false, state: { to: 'takedown', at: '-1d', reason: 'Advertising' } },
      { name: 'carol', state: 'suspended', password: 'the password of carol' },
      { name: 'dave', state: { to: 'deactivated', deleteAfter: '20d' } },
      { name: 'erin' },
    ],
    lists: [{ id: 'spam', by: 'alice', name: 'Spam', purpose: 'moderation', members: ['bob'] }],
    blocks: [
      { by: 'alice', list: 'spam' },
      { by: 'alice', of: 'carol', until: '-2d' },
    ],
    mutes: [
      { by: 'erin', list: 'spam' },
      { by: 'erin', of: ['carol', 'dave'], until: '-1d' },
    ],
    follows: [{ by: ['alice', 'erin'], of: ['alice', 'erin'], at: '-3d', until: '-2d' }],
    posts: [{ id: 'hello', by: 'erin', text: 'Hello' }],
    likes: [{ by: 'alice', post: 'hello', until: '-1d' }],
    appPasswords: [
      { by: 'erin', name: 'Tablet', until: '-1d' },
      { by: 'erin', name: 'Phone', privileged: true },
    ],
    sessions: [{ by: 'erin', appPassword: 'Phone', client: 'Phone/1.0' }],
    subscriptions: [{ by: 'erin', of: 'alice', until: '-1d' }],
  })
  const { accounts, posts } = world
  const admin = await server.get(
    'com.core.admin.listAccounts',
    {},
    `Basic ${btoa('admin:the admin password of tests')}`,
  )
  const states = admin.body.accounts.map((one: { handle: string; status?: string }) => [
    one.handle,
    one.status,
  ])
  expect(Object.fromEntries(states)).toEqual({
    ...{ 'alice-of-town.test': undefined, 'bob.test': 'takendown', 'carol.test': 'suspended' },
    ...{ 'dave.test': 'deactivated', 'erin.test': undefined },
  })
  expect(accounts.carol?.password).toBe('the password of carol')
  const session = await get('alice', 'com.atproto.server.getSession')
  expect(session).toMatchObject({ email: 'alice@town.example', emailConfirmed: true })
  expect((await get('alice', 'app.bsky.graph.getListBlocks')).lists).toMatchObject([{ name: 'Spam' }])
  expect((await get('erin', 'app.bsky.graph.getListMutes')).lists).toMatchObject([{ name: 'Spam' }])
  expect((await get('alice', 'app.bsky.graph.getBlocks')).blocks).toEqual([])
  expect((await get('erin', 'app.bsky.graph.getMutes')).mutes).toEqual([])
  expect(
    (await get('alice', 'app.bsky.graph.getFollows', { actor: accounts.alice?.did ?? '' })).follows,
  ).toEqual([])
  expect((await get('alice', 'app.bsky.feed.getLikes', { uri: posts.hello?.uri ?? '' })).likes).toEqual([])
  const { passwords } = await get('erin', 'com.atproto.server.listAppPasswords')
  expect(passwords).toMatchObject([{ name: 'Phone', privileged: true }])
  expect(Object.keys(accounts.erin?.appPasswords ?? {})).toEqual(['Phone'])
  const subscriptions = await get('erin', 'app.bsky.notification.listActivitySubscriptions')
  expect(subscriptions.subscriptions).toEqual([])
})

test('without time that passes, only the records have the times of the world', async () => {
  const server = await TestServer.start()
  open.push(server)
  const { passUntil, ...deps } = worldDeps([server])
  const before = server.clock.now()
  const { posts, accounts } = await loadWorld(friends, deps)
  expect(server.clock.now().getTime() - before.getTime()).toBeLessThan(60_000)
  const { body } = await server.get('app.bsky.feed.getAuthorFeed', { actor: accounts.bob?.did ?? '' })
  expect(body.feed[0].post.uri).toBe(posts.tea?.uri)
  expect(Date.parse(body.feed[0].post.record.createdAt)).toBeLessThan(before.getTime() - 3_500_000)
})

test('accounts are created on several servers', async () => {
  const servers = [
    await TestServer.start(),
    await TestServer.start({ userDomains: ['.two.test'], publicUrl: 'https://two.test' }),
  ]
  open.push(...servers)
  const world: World = {
    accounts: [{ name: 'alice' }, { name: 'bob', server: 1 }],
    follows: [{ by: 'alice', of: 'bob' }],
    posts: [{ id: 'hi', by: 'bob', text: 'Hello @alice' }],
  }
  const { accounts, posts } = await loadWorld(world, worldDeps(servers))
  expect(accounts).toMatchObject({
    alice: { handle: 'alice.test' },
    bob: { handle: 'bob.two.test', server: 1 },
  })
  const [, second] = servers
  const record = await second?.get('com.atproto.repo.listRecords', {
    repo: accounts.bob?.did ?? '',
    collection: 'app.bsky.feed.post',
  })
  expect(record?.body.records).toMatchObject([{ uri: posts.hi?.uri, value: { text: 'Hello @alice.test' } }])
})

test('a world from a file has pictures from files next to it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pds-world-'))
  try {
    const drawing = await pictureOf('#336699', { width: 40, height: 30, key: '', file: undefined })
    await writeFile(join(folder, 'bread.png'), drawing.bytes)
    const posts = [
      { id: 'bread', by: 'alice', text: 'Bread', pictures: [{ path: 'bread.png', alt: 'Bread' }] },
    ]
    const file = join(folder, 'world.json')
    await writeFile(file, JSON.stringify({ accounts: [{ name: 'alice' }], posts }))
    const { get, world } = await load(await readWorld(file))
    const { thread } = await get('alice', 'app.bsky.feed.getPostThread', {
      uri: world.posts.bread?.uri ?? '',
    })
    expect(thread.post.embed.images).toMatchObject([{ alt: 'Bread', aspectRatio: { width: 40, height: 30 } }])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the sample loads, with the same records each time', async () => {
  const { world, get } = await load(createSample())
  const again = await load(createSample())
  expect(world.records).toBeGreaterThan(300)
  expect(Object.keys(world.accounts)).toHaveLength(11)
  const list = async (from: Loaded['get']) => {
    const { notifications } = await from('alice', 'app.bsky.notification.listNotifications', { limit: '100' })
    return notifications.map(
      (one: { author: { handle: string }; reason: string; record: { text?: string }; indexedAt: string }) => [
        ...[one.author.handle, one.reason, one.record.text, one.indexedAt],
      ],
    )
  }
  expect(await list(again.get)).toEqual(await list(get))
})
