import { beforeEach, describe, expect, test } from 'vitest'
import { preferencesOf, wantedBy } from '../../../../server/app/notifications/preferences.ts'
import { arrived } from '../../../../server/app/tables/notifications.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { alice, bob, carol, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { body, mentions, type Ref } from '../../../support/server/social.ts'
import { webDevice } from '../../../support/services/web-push.ts'

setupAccounts()

/** By alice; bob and carol react to it. */
let post: Ref
beforeEach(async () => {
  post = await social.post(alice)
})

const get = (name: string, params: Record<string, string> = {}, account = alice) =>
  server.get(`app.example.notification.${name}`, params, account)

/** The URIs of all pages. */
async function pages(params: Record<string, string | string[]>): Promise<string[][]> {
  const found: string[][] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await social.list(alice, cursor === '' ? params : { ...params, cursor })
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

describe('listNotifications pages', () => {
  test('contain every notification once, newest first', async () => {
    const newestFirst = await times(7, () => social.quote(bob, post))
    expect(await pages({ limit: '3' })).toEqual([
      newestFirst.slice(0, 3),
      newestFirst.slice(3, 6),
      newestFirst.slice(6),
    ])
    expect(await pages({ limit: '7' })).toEqual([newestFirst])
  })

  test('contain fewer notifications when records are large', async () => {
    const junk = 'x'.repeat(900_000)
    const [last = '', ...others] = await times(3, () => social.post(bob, { ...mentions(alice), junk }))
    expect(await pages({})).toEqual([[last, others[0]], [others[1]]])
  })

  test('merge reasons and authors in order of arrival', async () => {
    await social.follow(alice, carol)
    const newestFirst: string[] = []
    for (const author of [bob, carol, bob]) {
      newestFirst.unshift((await social.reply(author, post)).uri)
      newestFirst.unshift((await social.quote(author, post)).uri)
      newestFirst.unshift((await social.post(author, mentions(alice))).uri)
    }
    expect((await pages({ limit: '2' })).flat()).toEqual(newestFirst)
    expect((await pages({ limit: '4' })).flat()).toEqual(newestFirst)
  })

  test('neither repeat nor skip notifications when others arrive or are deleted between requests', async () => {
    const [, ...likes] = [
      await social.quote(bob, post),
      await social.quote(bob, post),
      await social.quote(bob, post),
    ]
    const first = await social.list(alice, { limit: '1' })
    await social.like(carol, post)
    await social.remove(bob, likes[1] as Ref)
    const rest = await social.list(alice, { cursor: first.cursor })
    expect(rest.notifications.map(({ uri }: Ref) => uri)).toHaveLength(2)
    expect(rest.notifications[0].uri).toBe(likes[0]?.uri)
    expect(rest).not.toHaveProperty('cursor')
  })

  test('have 50 items by default and at most 100', async () => {
    const all = await times(101, () => social.quote(bob, post))
    expect((await social.list(alice)).notifications).toHaveLength(50)
    expect(await pages({ limit: '100' })).toEqual([all.slice(0, 100), all.slice(100)])
  })

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'x'],
    ['cursor', 'x'],
    ['cursor', Buffer.from('["x"]').toString('base64url')],
    ['priority', 'perhaps'],
  ])('reject %s=%s with InvalidRequest', async (name, value) => {
    expect(await get('listNotifications', { [name]: value })).toMatchObject({
      status: 400,
      body: { error: 'InvalidRequest' },
    })
  })
})

describe('listNotifications filters', () => {
  test('reasons limits the list to these reasons', async () => {
    await social.like(bob, post)
    await social.repost(bob, post)
    await social.follow(carol, alice)
    const listed = async (...reasons: string[]) =>
      (await social.list(alice, { reasons })).notifications.map(({ reason }: { reason: string }) => reason)
    expect(await listed('like')).toEqual(['like'])
    expect(await listed('follow', 'like')).toEqual(['follow', 'like'])
    expect(await listed('quote', 'contact-match', 'nonsense')).toEqual([])
    expect(await listed()).toEqual(['follow', 'repost', 'like'])
  })

  test('priority limits the list to authors that the account follows at the time of the request', async () => {
    await social.like(bob, post)
    await social.like(carol, post)
    const follow = await social.follow(alice, bob)
    const again = await social.follow(alice, bob)
    await social.repost(bob, post)
    const priority = { priority: 'true' }
    expect(await social.list(alice, priority)).toMatchObject({
      priority: true,
      notifications: [{ reason: 'repost' }, { reason: 'like' }],
    })
    expect(await social.unread(alice, priority)).toBe(2)
    await social.remove(alice, follow)
    expect(await social.unread(alice, priority)).toBe(2)
    await social.remove(alice, again)
    expect(await social.unread(alice, priority)).toBe(0)
    expect((await social.list(alice, priority)).notifications).toEqual([])
    expect(await social.list(alice)).toMatchObject({ priority: false, notifications: { length: 3 } })
    expect(await social.unread(alice)).toBe(3)
  })

  test('priority uses the new subject of an updated follow record', async () => {
    await social.like(bob, post)
    await social.like(carol, post)
    const { uri } = await social.follow(alice, bob)
    const [, , , collection = '', rkey = ''] = uri.split('/')
    await social.put(alice, collection, rkey, { subject: carol.did, createdAt: '2030-01-01T00:00:00Z' })
    expect(await social.listed(alice, { priority: 'true' })).toEqual(['like by carol'])
  })
})

test('reasons in one value are refused, and unknown ones match nothing', async () => {
  await social.like(bob, post)
  const ask = (reasons: string) =>
    server.get('app.example.notification.listNotifications', { reasons }, alice)
  expect(await ask('like,reply')).toMatchObject(refusal(400, 'InvalidRequest'))
  expect(await ask('nonsense')).toMatchObject({ status: 200, body: { notifications: [] } })
  expect((await ask('like')).body.notifications).toHaveLength(1)
})

describe('seen marker', () => {
  const read = async (params: Record<string, string> = {}) =>
    (await social.list(alice, params)).notifications.map(({ isRead }: { isRead: boolean }) => isRead)

  test('notifications up to it are read, later ones are unread', async () => {
    await times(2, () => social.quote(bob, post))
    const before = await social.list(alice)
    expect(before).not.toHaveProperty('seenAt')
    const [newest, oldest] = before.notifications
    expect(body(await social.call('updateSeen', { seenAt: oldest.indexedAt }, alice))).toBeUndefined()
    expect((await social.list(alice)).seenAt).toBe(oldest.indexedAt)
    expect(await read()).toEqual([false, true])
    expect(await social.unread(alice)).toBe(1)
    await social.call('updateSeen', { seenAt: newest.indexedAt }, alice)
    await social.repost(bob, post)
    expect(await read()).toEqual([false, true, true])
    expect(await social.unread(alice)).toBe(1)
  })

  test('an earlier marker makes notifications unread again', async () => {
    await times(2, () => social.quote(bob, post))
    await social.call('updateSeen', { seenAt: '2035-01-01T00:00:00Z' }, alice)
    expect(await social.unread(alice)).toBe(0)
    await social.call('updateSeen', { seenAt: '2025-01-01T00:00:00Z' }, alice)
    expect(await social.unread(alice)).toBe(2)
  })

  test('one in the future is stored as given, and marks only what arrived before the call', async () => {
    await social.like(bob, post)
    const seenAt = '9999-12-31T23:59:59.000Z'
    body(await social.call('updateSeen', { seenAt }, alice))
    expect(await read()).toEqual([true])
    await social.repost(bob, post)
    expect((await social.list(alice)).seenAt).toBe(seenAt)
    expect(await read()).toEqual([false, true])
    expect(await social.unread(alice)).toBe(1)
    body(await social.call('updateSeen', { seenAt }, alice))
    expect(await social.unread(alice)).toBe(0)
    expect(await read()).toEqual([true, true])
  })

  test('deleted notifications, read or unread, are not counted', async () => {
    const like = await social.like(bob, post)
    await social.call('updateSeen', { seenAt: '2031-01-01T00:00:00.000Z' }, alice)
    await social.remove(bob, like)
    expect(await social.unread(alice)).toBe(0)
    await social.call('updateSeen', { seenAt: '2029-01-01T00:00:00.000Z' }, alice)
    await social.remove(bob, await social.like(bob, post))
    expect(await social.unread(alice)).toBe(0)
  })

  test('the seenAt parameter replaces the stored marker for the request', async () => {
    await times(3, () => social.quote(bob, post))
    const [, middle] = (await social.list(alice)).notifications
    const params = { seenAt: middle.indexedAt }
    expect(await read(params)).toEqual([false, true, true])
    expect((await social.list(alice, params)).seenAt).toBe(middle.indexedAt)
    expect(await social.unread(alice, params)).toBe(1)
    expect(await social.unread(alice)).toBe(3)
  })

  test.each([
    ['2030-06-01T12:00:00+02:00', '2030-06-01T10:00:00.000Z'],
    ['2030-06-01T12:00:00.123456789Z', '2030-06-01T12:00:00.123Z'],
    ['2028-02-29T23:00:00-02:00', '2028-03-01T01:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is stored as %s', async (seenAt, kept) => {
    body(await social.call('updateSeen', { seenAt }, alice))
    expect((await social.list(alice)).seenAt).toBe(kept)
  })

  test.each([
    ...['x', '2030-01-01', '2030-06-31T12:00:00', '2030-13-01T00:00:00Z', '2030-12-31T23:59:60Z'],
    ...['2030-06-31T12:00:00Z', '2030-02-29T12:00:00+02:00'],
    ...['0000-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00', '-0001-01-01T00:00:00Z', 7, null],
  ])('%j is rejected with InvalidRequest', async (seenAt) => {
    const refused = { status: 400, body: { error: 'InvalidRequest' } }
    expect(await social.call('updateSeen', { seenAt }, alice)).toMatchObject(refused)
    expect(await get('listNotifications', { seenAt: String(seenAt) })).toMatchObject(refused)
    expect(await get('getUnreadCount', { seenAt: String(seenAt) })).toMatchObject(refused)
    expect(await social.list(alice)).not.toHaveProperty('seenAt')
  })
})

describe('notifications by authors who are not active', () => {
  const admin = (attribute: string, applied: boolean) =>
    server.post(
      'com.core.admin.updateSubjectStatus',
      { subject: { $type: 'com.core.admin.defs#repoRef', did: bob.did }, [attribute]: { applied } },
      adminAuth,
    )
  test.each(['takedown', 'suspended', 'deactivated'])('are hidden while %s', async (attribute) => {
    await social.like(bob, post)
    await social.like(carol, post)
    const before = await social.list(alice)
    body(await admin(attribute, true))
    expect(await social.listed(alice)).toEqual(['like by carol'])
    expect(await social.unread(alice)).toBe(1)
    await social.follow(alice, bob)
    await social.call('updateSeen', { seenAt: before.notifications[1].indexedAt }, alice)
    expect(await social.unread(alice)).toBe(1)
    body(await admin(attribute, false))
    expect(await social.listed(alice)).toEqual(['like by carol', 'like by bob'])
    expect(await social.listed(alice, { priority: 'true' })).toEqual(['like by bob'])
    expect(await social.unread(alice)).toBe(1)
    await social.call('updateSeen', { seenAt: '2029-01-01T00:00:00.000Z' }, alice)
    expect(await social.unread(alice)).toBe(2)
  })

  test('are hidden until every status is lifted', async () => {
    await social.like(bob, post)
    await admin('takedown', true)
    await admin('suspended', true)
    await admin('takedown', false)
    expect(await social.unread(alice)).toBe(0)
    await admin('suspended', false)
    expect(await social.unread(alice)).toBe(1)
  })
})

test('a deactivated account can list notifications, but neither register devices nor subscribe', async () => {
  await social.like(bob, post)
  body(await server.post('com.core.server.deactivateAccount', {}, alice))
  expect(await social.listed(alice)).toEqual(['like by bob'])
  const refused = { status: 401, body: { error: 'AccountDeactivated' } }
  expect(await social.call('registerPush', webDevice('t'), alice)).toMatchObject(refused)
  expect(await social.subscribe(alice, bob, true, true)).toMatchObject(refused)
})

test('in every state an account removes devices and subscriptions, marks notifications and sets preferences', async () => {
  const { preferences } = body(await get('getPreferences'))
  const device = webDevice('t')
  const rows = (table: string, column: string) =>
    server.running.services.store.all(`SELECT * FROM ${table} WHERE ${column} = ?`, [alice.did]).length
  let active = alice
  for (const state of ['deactivated', 'suspended', 'takedown'] as const) {
    body(await social.call('registerPush', device, active))
    body(await social.subscribe(active, bob, true, true))
    await server.setStatus(alice.did, { [state]: true })
    const session = { ...alice, ...body(await server.signIn(alice, { allowTakendown: true })) }
    body(await social.call('unregisterPush', device, session))
    body(await social.subscribe(session, bob, false, false))
    body(await social.call('updateSeen', { seenAt: server.clock.now().toISOString() }, session))
    body(await social.call('putPreferences', { preferences }, session))
    body(await social.call('putPreferencesV2', { like: preferences.like }, session))
    expect(rows('push_registrations', 'did')).toBe(0)
    await server.setStatus(alice.did, { [state]: false })
    active = { ...alice, ...body(await server.signIn(alice)) }
    expect(body(await get('listActivitySubscriptions', {}, active)).subscriptions).toEqual([])
  }
})

test('notifications survive a restart, and the next one has a later indexedAt', async () => {
  await social.like(bob, post)
  const before = await social.list(alice)
  await server.restart()
  expect(await social.list(alice)).toEqual(before)
  await social.like(carol, post)
  const after = await social.list(alice)
  expect(after.notifications.slice(1)).toEqual(before.notifications)
  expect(after.notifications[0].indexedAt > before.notifications[0].indexedAt).toBe(true)
  expect(await social.unread(alice)).toBe(2)
})

test('arrival events: each transaction with notifications publishes one event, whose ids arrived() resolves', async () => {
  const { store, app } = server.running.services
  await social.subscribe(alice, bob, true, true)
  const published: string[][] = []
  const stop = app.notifications.subscribe((arrivals) => {
    for (const { did } of [alice, bob, carol]) {
      const wanted = wantedBy(preferencesOf(store, did), 'push')
      const found = arrived(store, { did, wanted, arrivals })
      published.push(found.map(({ reason, author }) => `${reason} by ${author}`))
    }
  })
  await social.post(bob, mentions(carol))
  const quiet = await social.post(alice)
  await social.remove(alice, quiet)
  const mention = { include: 'all', list: true, push: false }
  body(await social.call('putPreferencesV2', { mention }, alice))
  await social.post(carol, mentions(alice))
  stop()
  await social.like(bob, post)
  expect(published).toEqual([
    ...[[`subscribed-post by ${bob.did}`], [], [`mention by ${bob.did}`]],
    ...[[], [], []],
  ])
})

test('arrival events: deleting a verification publishes the unverified notification', async () => {
  const { store, app } = server.running.services
  const wanted = wantedBy(preferencesOf(store, alice.did), 'push')
  const verification = await social.verify(bob, alice)
  const published: string[] = []
  const stop = app.notifications.subscribe((arrivals) => {
    const found = arrived(store, { did: alice.did, wanted, arrivals })
    published.push(...found.map(({ reason }) => reason))
  })
  await social.remove(bob, verification)
  stop()
  expect(published).toEqual(['unverified'])
})

test('deleting an account removes it from every table', async () => {
  await social.like(bob, post)
  await social.follow(bob, alice)
  await social.verify(bob, carol)
  await social.subscribe(alice, bob, true, true)
  await social.subscribe(bob, alice, true, true)
  const bobs = await social.post(bob)
  await social.like(carol, bobs)
  const follow = await social.follow(alice, bob)
  await social.call('updateSeen', { seenAt: '2029-01-01T00:00:00Z' }, bob)
  await social.call('putPreferencesV2', { verified: { list: true, push: true } }, bob)
  const device = webDevice('t')
  await social.call('registerPush', device, bob)
  const { store } = server.running.services
  const idOf = (account: Account) =>
    store.get<{ id: number }>('SELECT id FROM accounts WHERE did = ?', [account.did])?.id
  const id = idOf(bob)
  body(await server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth))

  expect(await social.listed(alice)).toEqual([])
  expect(await social.unread(alice)).toBe(0)
  const tables = store.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('records', 'repo_blocks', 'actors', 'events')",
  )
  const events = store.all('SELECT kind FROM events WHERE did = ?', [bob.did])
  expect(events, 'only the event that reports the deletion').toEqual([{ kind: 'account' }])
  // Alice's follow record still refers to the actor.
  for (const { name } of tables) {
    const rows = store.all<Record<string, unknown>>(`SELECT * FROM "${name}"`)
    const mentioning = rows.filter(
      (row) =>
        JSON.stringify(row).includes(bob.did) ||
        (/notification|seen/.test(name) && [row.account, row.author].includes(id)),
    )
    expect({ name, mentioning }).toEqual({ name, mentioning: [] })
  }
  await social.remove(alice, follow)
})
