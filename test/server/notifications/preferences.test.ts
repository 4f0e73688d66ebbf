import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Account } from '../../support/server.ts'
import { body, createdAt, graph, mentions, SocialServer } from '../../support/social.ts'

let world: SocialServer
let alice: Account
let bob: Account
let carol: Account
let round = 0
let others = 0

beforeAll(async () => {
  world = await SocialServer.start()
})
afterAll(() => world.close())

beforeEach(async () => {
  round++
  const names = ['alice', 'bob', 'carol'].map((name) => world.server.account(`${name}${round}`))
  ;[alice, bob, carol] = (await Promise.all(names)) as [Account, Account, Account]
})

const everyone = { include: 'all', list: true, push: true }
const always = { list: true, push: true }
const defaults = {
  ...{ chat: everyone, follow: everyone, like: everyone, likeViaRepost: everyone, mention: everyone },
  ...{ quote: everyone, reply: everyone, repost: everyone, repostViaRepost: everyone },
  ...{ starterpackJoined: always, subscribedPost: always, unverified: always, verified: always },
}

const preferences = async () =>
  body(await world.server.get('app.example.notification.getPreferences', {}, alice)).preferences

test('everything is wanted from everyone, until something else is chosen', async () => {
  expect(await preferences()).toEqual(defaults)
})

test('what was read can be changed and put back', async () => {
  const changed = { ...(await preferences()), like: { include: 'follows', list: false, push: false } }
  const answer = await world.call('putPreferences', { preferences: changed }, alice)
  expect(answer).toMatchObject({ status: 200, body: { preferences: changed } })
  expect(await preferences()).toEqual(changed)
  expect(body(await world.call('putPreferences', { preferences: defaults }, alice))).toEqual({
    preferences: defaults,
  })
})

test('the second version changes what it is given, also under its name on the network', async () => {
  const like = { include: 'follows', list: true, push: false }
  const verified = { list: false, push: false }
  body(await world.call('putPreferencesV2', { like }, alice))
  const answer = await world.server.post('app.bsky.notification.putPreferencesV2', { verified }, alice)
  expect(answer).toMatchObject({ status: 200, body: { preferences: { ...defaults, like, verified } } })
  expect(await preferences()).toEqual({ ...defaults, like, verified })
  body(await world.call('putPreferencesV2', {}, alice))
  expect(await preferences()).toEqual({ ...defaults, like, verified })
})

describe('bad preferences are refused and change nothing', () => {
  const without = (key: string) =>
    Object.fromEntries(Object.entries(defaults).filter(([name]) => name !== key))
  const cases: [string, unknown][] = [
    ...Object.keys(defaults).map((key): [string, unknown] => [`without ${key}`, without(key)]),
    ...Object.keys(defaults).map((key): [string, unknown] => [
      `${key} without list`,
      { ...defaults, [key]: { include: 'all', push: true } },
    ]),
    ['an unknown include', { ...defaults, like: { include: 'accepted', list: true, push: true } }],
    ['an absent include', { ...defaults, like: { list: true, push: true } }],
    ['a text for a flag', { ...defaults, verified: { list: 'yes', push: true } }],
    ['a list', []],
    ['nothing', undefined],
  ]
  test.each(cases)('%s', async (_, input) => {
    const like = { include: 'follows', list: true, push: true }
    body(await world.call('putPreferencesV2', { like }, alice))
    const answer = await world.call('putPreferences', { preferences: input }, alice)
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    expect(await preferences()).toEqual({ ...defaults, like })
  })

  test('in the second version too', async () => {
    const like = { include: 'nobody', list: true, push: true }
    expect((await world.call('putPreferencesV2', { like }, alice)).status).toBe(400)
    expect(await preferences()).toEqual(defaults)
  })
})

/** What makes an author tell alice something, by the preference that decides on it. */
const producers: Record<string, (author: Account) => Promise<unknown>> = {
  follow: (author) => world.follow(author, alice),
  like: async (author) => world.like(author, await world.post(alice)),
  likeViaRepost: async (author) => world.like(author, ...(await reposted())),
  mention: (author) => world.post(author, mentions(alice)),
  quote: async (author) => world.quote(author, await world.post(alice)),
  reply: async (author) => world.reply(author, await world.post(alice)),
  repost: async (author) => world.repost(author, await world.post(alice)),
  repostViaRepost: async (author) => world.repost(author, ...(await reposted())),
  starterpackJoined: async (author) => {
    const pack = await world.write(alice, `${graph}.starterpack`, { name: 'Pack', createdAt })
    return world.put(author, 'app.example.actor.profile', 'self', { joinedViaStarterPack: pack })
  },
  subscribedPost: async (author) => {
    await world.subscribe(alice, author, true, true)
    return world.post(author)
  },
  unverified: async (author) => world.remove(author, await world.verify(author, alice)),
  verified: (author) => world.verify(author, alice),
}

/** A post of somebody else that alice has reposted. */
async function reposted() {
  const somebody = await world.server.account(`other${++others}`)
  const post = await world.post(somebody)
  return [post, await world.repost(alice, post)] as const
}

describe.each(Object.keys(producers))('%s', (key) => {
  const filterable = !['starterpackJoined', 'subscribedPost', 'unverified', 'verified'].includes(key)
  test.each([
    { include: 'all', list: true, from: ['carol', 'bob'] },
    { include: 'all', list: false, from: [] },
    ...(filterable
      ? [
          { include: 'follows', list: true, from: ['bob'] },
          { include: 'follows', list: false, from: [] },
        ]
      : []),
  ])('from $include, listed: $list', async ({ include, list, from }) => {
    const preference = filterable ? { include, list, push: true } : { list, push: true }
    await world.follow(alice, bob)
    await producers[key]?.(bob)
    await producers[key]?.(carol)
    // Chosen afterwards, a preference holds for what came before.
    body(await world.call('putPreferencesV2', { [key]: preference }, alice))
    const { notifications } = await world.list(alice)
    const names = notifications.map(({ author }: { author: { handle: string } }) =>
      author.handle.replace(/\d*\.test/, ''),
    )
    expect(names).toEqual(from)
    expect(await world.unread(alice)).toBe(from.length)
    body(
      await world.call('putPreferencesV2', { [key]: { ...preference, list: true, include: 'all' } }, alice),
    )
    expect(await world.unread(alice)).toBe(2)
  })

  test('other reasons are not touched', async () => {
    const preference = filterable ? { include: 'all', list: false, push: true } : { list: false, push: true }
    body(await world.call('putPreferencesV2', { [key]: preference }, alice))
    const otherKeys = Object.keys(producers).filter((other) => other !== key && !other.includes('Via'))
    for (const other of otherKeys) await producers[other]?.(bob)
    expect((await world.list(alice)).notifications).toHaveLength(otherKeys.length)
    expect(await world.unread(alice)).toBe(otherKeys.length)
  })
})
