import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { preferencesOf, wantedBy } from '../../../server/notifications/preferences.ts'
import { arrived } from '../../../server/store/tables/notifications.ts'
import { type Account, adminAuth } from '../../support/server.ts'
import { body, feed, mentions, type Ref, SocialServer } from '../../support/social.ts'

let world: SocialServer
let alice: Account
let bob: Account
let carol: Account
let post: Ref
let round = 0

beforeAll(async () => {
  world = await SocialServer.start()
})
afterAll(() => world.close())

/** Alice has a post that bob and carol can react to. */
beforeEach(async () => {
  round++
  const names = ['alice', 'bob', 'carol'].map((name) => world.server.account(`${name}${round}`))
  ;[alice, bob, carol] = (await Promise.all(names)) as [Account, Account, Account]
  post = await world.post(alice)
})

const get = (name: string, params: Record<string, string> = {}, account = alice) =>
  world.server.get(`app.example.notification.${name}`, params, account)

/** The records behind the notifications of every page. */
async function pages(params: Record<string, string | string[]>): Promise<string[][]> {
  const found: string[][] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await world.list(alice, cursor === '' ? params : { ...params, cursor })
    found.push(page.notifications.map(({ uri }: Ref) => uri))
    cursor = page.cursor
  }
  return found
}

const times = async (count: number, task: () => Promise<Ref>) => {
  const refs: string[] = []
  for (let i = 0; i < count; i++) refs.unshift((await task()).uri)
  return refs
}

describe('pages', () => {
  test('follow one another to the end, without loss or repeat', async () => {
    const newestFirst = await times(7, () => world.like(bob, post))
    expect(await pages({ limit: '3' })).toEqual([
      newestFirst.slice(0, 3),
      newestFirst.slice(3, 6),
      newestFirst.slice(6),
    ])
    expect(await pages({ limit: '7' })).toEqual([newestFirst])
  })

  test('hold fewer notifications of large records', async () => {
    const junk = 'x'.repeat(900_000)
    const [last = '', ...others] = await times(3, () => world.post(bob, { ...mentions(alice), junk }))
    expect(await pages({})).toEqual([[last, others[0]], [others[1]]])
  })

  test('hold the newest whatever they are about, and whoever they are of', async () => {
    await world.follow(alice, carol)
    const newestFirst: string[] = []
    for (const author of [bob, carol, bob]) {
      newestFirst.unshift((await world.repost(author, post)).uri)
      newestFirst.unshift((await world.like(author, post)).uri)
      newestFirst.unshift((await world.follow(author, alice)).uri)
    }
    expect((await pages({ limit: '2' })).flat()).toEqual(newestFirst)
    expect((await pages({ limit: '4' })).flat()).toEqual(newestFirst)
  })

  test('are not disturbed by what arrives or goes meanwhile', async () => {
    const [, ...likes] = [
      await world.like(bob, post),
      await world.like(bob, post),
      await world.like(bob, post),
    ]
    const first = await world.list(alice, { limit: '1' })
    await world.like(carol, post)
    await world.remove(bob, likes[1] as Ref)
    const rest = await world.list(alice, { cursor: first.cursor })
    expect(rest.notifications.map(({ uri }: Ref) => uri)).toHaveLength(2)
    expect(rest.notifications[0].uri).toBe(likes[0]?.uri)
    expect(rest).not.toHaveProperty('cursor')
  })

  test('have 50 items unless asked for another number up to 100', async () => {
    const all = await times(101, () => world.like(bob, post))
    expect((await world.list(alice)).notifications).toHaveLength(50)
    expect(await pages({ limit: '100' })).toEqual([all.slice(0, 100), all.slice(100)])
  })

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'x'],
    ['cursor', 'x'],
    ['cursor', Buffer.from('["x"]').toString('base64url')],
    ['priority', 'perhaps'],
  ])('with %s=%s are refused', async (name, value) => {
    expect(await get('listNotifications', { [name]: value })).toMatchObject({
      status: 400,
      body: { error: 'InvalidRequest' },
    })
  })
})

describe('filters', () => {
  test('reasons choose what is listed', async () => {
    await world.like(bob, post)
    await world.repost(bob, post)
    await world.follow(carol, alice)
    const told = async (...reasons: string[]) =>
      (await world.list(alice, { reasons })).notifications.map(({ reason }: { reason: string }) => reason)
    expect(await told('like')).toEqual(['like'])
    expect(await told('follow', 'like')).toEqual(['follow', 'like'])
    expect(await told('quote', 'contact-match', 'nonsense')).toEqual([])
    expect(await told()).toEqual(['follow', 'repost', 'like'])
  })

  test('priority shows those whom the account follows, as long as it follows them', async () => {
    await world.like(bob, post)
    await world.like(carol, post)
    const follow = await world.follow(alice, bob)
    const again = await world.follow(alice, bob)
    await world.repost(bob, post)
    const priority = { priority: 'true' }
    expect(await world.list(alice, priority)).toMatchObject({
      priority: true,
      notifications: [{ reason: 'repost' }, { reason: 'like' }],
    })
    expect(await world.unread(alice, priority)).toBe(2)
    await world.remove(alice, follow)
    expect(await world.unread(alice, priority)).toBe(2)
    await world.remove(alice, again)
    expect(await world.unread(alice, priority)).toBe(0)
    expect((await world.list(alice, priority)).notifications).toEqual([])
    expect(await world.list(alice)).toMatchObject({ priority: false, notifications: { length: 3 } })
    expect(await world.unread(alice)).toBe(3)
  })

  test('a follow record that turns to somebody else moves the priority', async () => {
    await world.like(bob, post)
    await world.like(carol, post)
    const { uri } = await world.follow(alice, bob)
    const [, , , collection = '', rkey = ''] = uri.split('/')
    await world.put(alice, collection, rkey, { subject: carol.did, createdAt: '2030-01-01T00:00:00Z' })
    expect(await world.told(alice, { priority: 'true' })).toEqual([`like by carol${round}`])
  })
})

describe('the seen marker', () => {
  const read = async (params: Record<string, string> = {}) =>
    (await world.list(alice, params)).notifications.map(({ isRead }: { isRead: boolean }) => isRead)

  test('what arrived until then is read, what arrives later is not', async () => {
    await times(2, () => world.like(bob, post))
    const before = await world.list(alice)
    expect(before).not.toHaveProperty('seenAt')
    const [newest, oldest] = before.notifications
    expect(body(await world.call('updateSeen', { seenAt: oldest.indexedAt }, alice))).toBeUndefined()
    expect((await world.list(alice)).seenAt).toBe(oldest.indexedAt)
    expect(await read()).toEqual([false, true])
    expect(await world.unread(alice)).toBe(1)
    await world.call('updateSeen', { seenAt: newest.indexedAt }, alice)
    await world.repost(bob, post)
    expect(await read()).toEqual([false, true, true])
    expect(await world.unread(alice)).toBe(1)
  })

  test('goes back too', async () => {
    await times(2, () => world.like(bob, post))
    await world.call('updateSeen', { seenAt: '2035-01-01T00:00:00Z' }, alice)
    expect(await world.unread(alice)).toBe(0)
    await world.call('updateSeen', { seenAt: '2025-01-01T00:00:00Z' }, alice)
    expect(await world.unread(alice)).toBe(2)
  })

  test('a deleted notification is counted no more, read or not', async () => {
    const like = await world.like(bob, post)
    await world.call('updateSeen', { seenAt: '2031-01-01T00:00:00.000Z' }, alice)
    await world.remove(bob, like)
    expect(await world.unread(alice)).toBe(0)
    await world.call('updateSeen', { seenAt: '2029-01-01T00:00:00.000Z' }, alice)
    await world.remove(bob, await world.like(bob, post))
    expect(await world.unread(alice)).toBe(0)
  })

  test('given with the call, it stands in for the one that is stored', async () => {
    await times(3, () => world.like(bob, post))
    const [, middle] = (await world.list(alice)).notifications
    const params = { seenAt: middle.indexedAt }
    expect(await read(params)).toEqual([false, true, true])
    expect((await world.list(alice, params)).seenAt).toBe(middle.indexedAt)
    expect(await world.unread(alice, params)).toBe(1)
    expect(await world.unread(alice)).toBe(3)
  })

  test.each([
    ['2030-06-01T12:00:00+02:00', '2030-06-01T10:00:00.000Z'],
    ['2030-06-01T12:00:00.123456789Z', '2030-06-01T12:00:00.123Z'],
    ['2028-02-29T23:00:00-02:00', '2028-03-01T01:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is kept to the millisecond, in UTC', async (seenAt, kept) => {
    body(await world.call('updateSeen', { seenAt }, alice))
    expect((await world.list(alice)).seenAt).toBe(kept)
  })

  test.each([
    ...['x', '2030-01-01', '2030-06-31T12:00:00', '2030-13-01T00:00:00Z', '2030-12-31T23:59:60Z'],
    ...['2030-06-31T12:00:00Z', '2030-02-29T12:00:00+02:00'],
    ...['0000-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00', '-0001-01-01T00:00:00Z', 7, null],
  ])('%j is refused', async (seenAt) => {
    const refused = { status: 400, body: { error: 'InvalidRequest' } }
    expect(await world.call('updateSeen', { seenAt }, alice)).toMatchObject(refused)
    expect(await get('listNotifications', { seenAt: String(seenAt) })).toMatchObject(refused)
    expect(await get('getUnreadCount', { seenAt: String(seenAt) })).toMatchObject(refused)
    expect(await world.list(alice)).not.toHaveProperty('seenAt')
  })
})

describe('authors who are not active', () => {
  const admin = (attribute: string, applied: boolean) =>
    world.server.post(
      'com.core.admin.updateSubjectStatus',
      { subject: { $type: 'com.core.admin.defs#repoRef', did: bob.did }, [attribute]: { applied } },
      adminAuth,
    )
  test.each(['takedown', 'suspended', 'deactivated'])('are hidden while %s', async (attribute) => {
    await world.like(bob, post)
    await world.like(carol, post)
    const before = await world.list(alice)
    body(await admin(attribute, true))
    expect(await world.told(alice)).toEqual([`like by carol${round}`])
    expect(await world.unread(alice)).toBe(1)
    await world.follow(alice, bob)
    await world.call('updateSeen', { seenAt: before.notifications[1].indexedAt }, alice)
    expect(await world.unread(alice)).toBe(1)
    body(await admin(attribute, false))
    expect(await world.told(alice)).toEqual([`like by carol${round}`, `like by bob${round}`])
    expect(await world.told(alice, { priority: 'true' })).toEqual([`like by bob${round}`])
    expect(await world.unread(alice)).toBe(1)
    await world.call('updateSeen', { seenAt: '2029-01-01T00:00:00.000Z' }, alice)
    expect(await world.unread(alice)).toBe(2)
  })

  test('are hidden until every state has ended', async () => {
    await world.like(bob, post)
    await admin('takedown', true)
    await admin('suspended', true)
    await admin('takedown', false)
    expect(await world.unread(alice)).toBe(0)
    await admin('suspended', false)
    expect(await world.unread(alice)).toBe(1)
  })
})

test('an account that is deactivated still reads, and writes nothing', async () => {
  await world.like(bob, post)
  body(await world.server.post('com.core.server.deactivateAccount', {}, alice))
  expect(await world.told(alice)).toEqual([`like by bob${round}`])
  const refused = { status: 401, body: { error: 'AccountDeactivated' } }
  const device = { serviceDid: 'did:web:push.test', token: 't', platform: 'web', appId: 'a' }
  const { preferences } = body(await get('getPreferences'))
  const writes: [string, unknown][] = [
    ['updateSeen', { seenAt: '2030-01-01T00:00:00Z' }],
    ['putPreferences', { preferences }],
    ['putPreferencesV2', {}],
    ['registerPush', device],
    ['unregisterPush', device],
    ['putActivitySubscription', { subject: bob.did, activitySubscription: { post: true, reply: true } }],
  ]
  for (const [name, input] of writes) expect(await world.call(name, input, alice)).toMatchObject(refused)
})

test('everything is there after a restart, and the next arrival is later', async () => {
  await world.like(bob, post)
  const before = await world.list(alice)
  await world.server.restart()
  expect(await world.list(alice)).toEqual(before)
  await world.like(carol, post)
  const after = await world.list(alice)
  expect(after.notifications.slice(1)).toEqual(before.notifications)
  expect(after.notifications[0].indexedAt > before.notifications[0].indexedAt).toBe(true)
  expect(await world.unread(alice)).toBe(2)
})

test('arrivals are announced once they are on disk, and looked up by those who want them', async () => {
  const { store, notifications } = world.server.running.services
  await world.subscribe(alice, bob, true, true)
  const announced: string[][] = []
  const stop = notifications.subscribe((arrivals) => {
    for (const { did } of [alice, bob, carol]) {
      const wanted = wantedBy(preferencesOf(store, did), 'push')
      const found = arrived(store, { did, wanted, arrivals })
      announced.push(found.map(({ reason, author }) => `${reason} by ${author}`))
    }
  })
  await world.post(bob, mentions(carol))
  const quiet = await world.post(alice)
  await world.remove(alice, quiet)
  const mention = { include: 'all', list: true, push: false }
  body(await world.call('putPreferencesV2', { mention }, alice))
  await world.post(carol, mentions(alice))
  stop()
  await world.like(bob, post)
  expect(announced).toEqual([
    ...[[`subscribed-post by ${bob.did}`], [], [`mention by ${bob.did}`]],
    ...[[], [], []],
  ])
})

test('what takes the place of a notification is announced as well', async () => {
  const { store, notifications } = world.server.running.services
  const wanted = wantedBy(preferencesOf(store, alice.did), 'push')
  const verification = await world.verify(bob, alice)
  const announced: string[] = []
  const stop = notifications.subscribe((arrivals) => {
    const found = arrived(store, { did: alice.did, wanted, arrivals })
    announced.push(...found.map(({ reason }) => reason))
  })
  await world.remove(bob, verification)
  stop()
  expect(announced).toEqual(['unverified'])
})

test('what a deleted account did and was told is gone from every table', async () => {
  await world.like(bob, post)
  await world.follow(bob, alice)
  await world.verify(bob, carol)
  await world.subscribe(alice, bob, true, true)
  await world.subscribe(bob, alice, true, true)
  const bobs = await world.post(bob)
  await world.like(carol, bobs)
  const follow = await world.follow(alice, bob)
  await world.call('updateSeen', { seenAt: '2029-01-01T00:00:00Z' }, bob)
  await world.call('putPreferencesV2', { verified: { list: true, push: true } }, bob)
  const device = { serviceDid: 'did:web:push.test', token: 't', platform: 'web', appId: 'a' }
  await world.call('registerPush', device, bob)
  const { store } = world.server.running.services
  const idOf = (account: Account) =>
    store.get<{ id: number }>('SELECT id FROM accounts WHERE did = ?', [account.did])?.id
  const id = idOf(bob)
  body(await world.server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth))

  expect(await world.told(alice)).toEqual([])
  expect(await world.unread(alice)).toBe(0)
  const tables = store.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('records', 'repo_blocks')",
  )
  for (const { name } of tables) {
    const rows = store.all<Record<string, unknown>>(`SELECT * FROM "${name}"`)
    const mentioning = rows.filter(
      (row) =>
        JSON.stringify(row).includes(bob.did) ||
        (/notification|seen/.test(name) && [row.account, row.author].includes(id)),
    )
    expect({ name, mentioning }).toEqual({ name, mentioning: [] })
  }
  await world.remove(alice, follow)
})

test(`${feed}.like of nothing that exists is told all the same`, async () => {
  const uri = `at://${alice.did}/${feed}.post/3kaaaaaaaaaa2`
  await world.like(bob, { uri, cid: post.cid })
  expect((await world.list(alice)).notifications).toMatchObject([{ reason: 'like', reasonSubject: uri }])
})
