import { describe, expect, test } from 'vitest'
import type { Account } from '../../../support/server/server.ts'
import { alice, bob, carol, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { body, createdAt, graph, mentions, someList } from '../../../support/server/social.ts'

setupAccounts()

let others = 0

const everyone = { include: 'all', list: true, push: true }
const always = { list: true, push: true }
const defaults = {
  ...{ chat: everyone, follow: everyone, like: everyone, likeViaRepost: everyone, mention: everyone },
  ...{ quote: everyone, reply: everyone, repost: everyone, repostViaRepost: everyone },
  ...{ starterpackJoined: always, subscribedPost: always, unverified: always, verified: always },
}

const preferences = async () =>
  body(await server.get('app.example.notification.getPreferences', {}, alice)).preferences

test('getPreferences: the default lists and pushes every reason from everyone', async () => {
  expect(await preferences()).toEqual(defaults)
})

test('putPreferences: stores changed preferences and restores the defaults', async () => {
  const changed = { ...(await preferences()), like: { include: 'follows', list: false, push: false } }
  const answer = await social.call('putPreferences', { preferences: changed }, alice)
  expect(answer).toMatchObject({ status: 200, body: { preferences: changed } })
  expect(await preferences()).toEqual(changed)
  expect(body(await social.call('putPreferences', { preferences: defaults }, alice))).toEqual({
    preferences: defaults,
  })
})

test('putPreferencesV2: changes only the given preferences, also under its alias', async () => {
  const like = { include: 'follows', list: true, push: false }
  const verified = { list: false, push: false }
  body(await social.call('putPreferencesV2', { like }, alice))
  const answer = await server.post('app.bsky.notification.putPreferencesV2', { verified }, alice)
  expect(answer).toMatchObject({ status: 200, body: { preferences: { ...defaults, like, verified } } })
  expect(await preferences()).toEqual({ ...defaults, like, verified })
  body(await social.call('putPreferencesV2', {}, alice))
  expect(await preferences()).toEqual({ ...defaults, like, verified })
})

describe('invalid preferences are rejected without a change', () => {
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
    ['a flag as text', { ...defaults, verified: { list: 'yes', push: true } }],
    ['a list', []],
    ['no body', undefined],
  ]
  test.each(cases)('%s', async (_, input) => {
    const like = { include: 'follows', list: true, push: true }
    body(await social.call('putPreferencesV2', { like }, alice))
    const answer = await social.call('putPreferences', { preferences: input }, alice)
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    expect(await preferences()).toEqual({ ...defaults, like })
  })

  test('putPreferencesV2 with an unknown include', async () => {
    const like = { include: 'none', list: true, push: true }
    expect((await social.call('putPreferencesV2', { like }, alice)).status).toBe(400)
    expect(await preferences()).toEqual(defaults)
  })
})

/** Creates a notification for alice, by preference. */
const producers: Record<string, (author: Account) => Promise<unknown>> = {
  follow: (author) => social.follow(author, alice),
  like: async (author) => social.like(author, await social.post(alice)),
  likeViaRepost: async (author) => social.like(author, ...(await reposted())),
  mention: (author) => social.post(author, mentions(alice)),
  quote: async (author) => social.quote(author, await social.post(alice)),
  reply: async (author) => social.reply(author, await social.post(alice)),
  repost: async (author) => social.repost(author, await social.post(alice)),
  repostViaRepost: async (author) => social.repost(author, ...(await reposted())),
  starterpackJoined: async (author) => {
    const pack = await social.write(alice, `${graph}.starterpack`, {
      name: 'Pack',
      list: someList,
      createdAt,
    })
    return social.put(author, 'app.example.actor.profile', 'self', { joinedViaStarterPack: pack })
  },
  subscribedPost: async (author) => {
    await social.subscribe(alice, author, true, true)
    return social.post(author)
  },
  unverified: async (author) => social.remove(author, await social.verify(author, alice)),
  verified: (author) => social.verify(author, alice),
}

/** A post of another account, and alice's repost of it. */
async function reposted() {
  const author = await server.account(`other${++others}`)
  const post = await social.post(author)
  return [post, await social.repost(alice, post)] as const
}

describe.each(Object.keys(producers))('preference %s', (key) => {
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
  ])('include $include, list $list', async ({ include, list, from }) => {
    const preference = filterable ? { include, list, push: true } : { list, push: true }
    await social.follow(alice, bob)
    await producers[key]?.(bob)
    await producers[key]?.(carol)
    // Preferences apply to existing notifications too.
    body(await social.call('putPreferencesV2', { [key]: preference }, alice))
    const { notifications } = await social.list(alice)
    const names = notifications.map(({ author }: { author: { handle: string } }) =>
      author.handle.replace(/\d*\.test/, ''),
    )
    expect(names).toEqual(from)
    expect(await social.unread(alice)).toBe(from.length)
    body(
      await social.call('putPreferencesV2', { [key]: { ...preference, list: true, include: 'all' } }, alice),
    )
    expect(await social.unread(alice)).toBe(2)
  })

  test('does not affect other reasons', async () => {
    const preference = filterable ? { include: 'all', list: false, push: true } : { list: false, push: true }
    body(await social.call('putPreferencesV2', { [key]: preference }, alice))
    const otherKeys = Object.keys(producers).filter((other) => other !== key && !other.includes('Via'))
    for (const other of otherKeys) await producers[other]?.(bob)
    expect((await social.list(alice)).notifications).toHaveLength(otherKeys.length)
    expect(await social.unread(alice)).toBe(otherKeys.length)
  })
})
