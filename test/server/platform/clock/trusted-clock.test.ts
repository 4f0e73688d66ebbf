/** A clock that is wrong once, such as three years ahead after its battery was empty, deletes and blocks nothing. */
import { beforeEach, describe, expect, test } from 'vitest'
import { pruneEvents } from '../../../../server/repository/events/event-retention.ts'
import { state as eventState } from '../../../../server/repository/tables/events.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import { PlcDirectory } from '../../../support/accounts/plc.ts'
import { day, hour, minute } from '../../../support/server/clock.ts'
import { sweep } from '../../../support/server/maintenance.ts'
import { type Account, adminAuth, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

const years = 3 * 365 * day

setupServer({ config: { logLevel: 'info' }, per: 'test' })
beforeEach(async () => {
  await server.running.services.clock.check()
})

const services = () => server.running.services
const getSession = (who: Pick<Account, 'accessJwt'>) => server.get('com.core.server.getSession', {}, who)
const refresh = (token: string) => server.post('com.core.server.refreshSession', undefined, token)

const again = async (who: Account): Promise<Account> => ({ ...who, ...(await server.signIn(who)).body })

/** Signs in before each call, because access tokens expire when the clock jumps. */
const mention = async (author: Account, to: Account) => {
  const record = {
    text: 'x',
    facets: [
      {
        index: { byteStart: 0, byteEnd: 1 },
        features: [{ $type: 'app.example.richtext.facet#mention', did: to.did }],
      },
    ],
    createdAt: server.clock.now().toISOString(),
  }
  const input = { repo: author.did, collection: 'app.example.feed.post', record }
  const answer = await server.post('com.core.repo.createRecord', input, await again(author))
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.uri as string
}
const listOf = async (who: Account, params: Record<string, string> = {}) =>
  (await server.get('app.example.notification.listNotifications', params, await again(who))).body
const unread = async (who: Account) =>
  (await server.get('app.example.notification.getUnreadCount', {}, await again(who))).body.count
const seeAll = async (who: Account) => {
  const input = { seenAt: server.clock.now().toISOString() }
  expect((await server.post('app.example.notification.updateSeen', input, await again(who))).status).toBe(200)
}

/** Runs what deletes by age. */
async function runJobs(): Promise<void> {
  await services().clock.check()
  await sweep(services())
  await pruneEvents(services())
  await services().repository.blobs.expire()
  await services().federation.intake.deleteOutdated()
}

/** Minutes of regular running. */
async function run(minutes: number): Promise<void> {
  for (let n = 0; n < minutes; n++) {
    server.clock.advance(minute)
    await services().clock.check()
  }
}

const logged = (text: string) => server.logged.filter((line) => line.includes(text))

test('a clock that is three years ahead for a minute deletes nothing, and logs that once', async () => {
  const alice = await server.account('alice')
  const deleteAfter = new Date(server.clock.now().getTime() + 30 * day).toISOString()
  await server.post('com.core.server.deactivateAccount', { deleteAfter }, alice)
  const events = eventState(services().store)

  server.clock.advance(years)
  for (let times = 0; times < 3; times++) await runJobs()
  expect(services().clock.isPlausible()).toBe(false)
  server.clock.advance(-years)
  await runJobs()

  expect((await getSession(alice)).status).toBe(200)
  expect((await refresh(alice.refreshJwt)).status).toBe(200)
  expect(eventState(services().store)).toEqual(events)
  expect(logged('clock is implausible')).toHaveLength(1)
  expect(logged('clock is plausible again')).toHaveLength(1)
})

test('a server that starts with a wrong clock deletes nothing', async () => {
  const alice = await server.account('alice')
  await server.running.close()
  server.clock.advance(years)
  await server.open()
  await runJobs()
  await server.running.close()
  server.clock.advance(-years)
  await server.open()
  expect((await getSession(alice)).status).toBe(200)
})

test('the first start of this version does not trust a clock that the stored data contradicts', async () => {
  await server.account('alice')
  await server.running.close()
  const { dataDir: directory } = server.config
  const store = await Database.open({ directory, schema, now: server.clock.now })
  await store.transact((tx) => tx.run('UPDATE clock SET trusted_at = NULL'))
  await store.close()
  server.clock.advance(years)
  await server.open()
  expect(services().clock.isPlausible()).toBe(false)
})

describe('notifications', () => {
  test('keep their order, state the real time and can be read after the clock was ahead', async () => {
    const [alice, bob] = [await server.account('alice'), await server.account('bob')]
    const first = await mention(bob, alice)
    server.clock.advance(years)
    const second = await mention(bob, alice)
    server.clock.advance(-years)
    const third = await mention(bob, alice)

    const { notifications } = await listOf(alice)
    expect(notifications.map(({ uri }: { uri: string }) => uri)).toEqual([third, second, first])
    const at = server.clock.now().getTime()
    for (const { indexedAt } of notifications)
      expect(Math.abs(Date.parse(indexedAt) - at)).toBeLessThan(2 * minute)
    expect(await unread(alice)).toBe(3)
    await seeAll(alice)
    expect(await unread(alice)).toBe(0)
    await mention(bob, alice)
    expect(await unread(alice)).toBe(1)
  })

  test('can be read although the last one arrived while the clock was ahead', async () => {
    const [alice, bob] = [await server.account('alice'), await server.account('bob')]
    server.clock.advance(years)
    await mention(bob, alice)
    server.clock.advance(-years)
    await seeAll(alice)
    expect(await unread(alice)).toBe(0)
    expect((await listOf(alice)).notifications).toMatchObject([{ isRead: true }])
  })

  test('that arrive after a marker of the wrong time are unread', async () => {
    const [alice, bob] = [await server.account('alice'), await server.account('bob')]
    server.clock.advance(years)
    await mention(bob, alice)
    await seeAll(alice)
    server.clock.advance(-years)
    await mention(bob, alice)
    expect(await unread(alice)).toBe(1)
  })

  test('are neither lost nor repeated by a page that was begun before the clock was set right', async () => {
    const [alice, bob] = [await server.account('alice'), await server.account('bob')]
    const uris = [await mention(bob, alice), await mention(bob, alice)]
    server.clock.advance(years)
    uris.push(await mention(bob, alice), await mention(bob, alice))
    const { notifications, cursor } = await listOf(alice, { limit: '1' })
    server.clock.advance(-years)
    await mention(bob, alice)
    const rest = await listOf(alice, { cursor })
    const listed = [...notifications, ...rest.notifications].map(({ uri }: { uri: string }) => uri)
    expect(listed).toEqual(uris.toReversed())
  })
})

describe('sessions', () => {
  test('are renewed while the clock is ahead, and afterwards', async () => {
    const alice = await server.account('alice')
    server.clock.advance(years)
    const ahead = await refresh(alice.refreshJwt)
    expect(ahead.status).toBe(200)
    expect((await getSession(ahead.body)).status).toBe(200)
    server.clock.advance(-years)
    await runJobs()
    // Issued in the future: it would be valid for three years.
    expect((await getSession(ahead.body)).body.error).toBe('ExpiredToken')
    const renewed = await refresh(ahead.body.refreshJwt)
    expect((await getSession(renewed.body)).status).toBe(200)
  })

  test('that were opened while the clock was behind live on', async () => {
    await server.account('alice')
    server.clock.advance(-years)
    const { body } = await server.signIn({ handle: 'alice.test', password: 'alice-password' })
    server.clock.advance(years)
    await runJobs()
    expect((await refresh(body.refreshJwt)).status).toBe(200)
  })
})

test('writes go on after the clock was ahead, and only repositories written meanwhile keep a later revision', async () => {
  const [alice, bob] = [await server.account('alice'), await server.account('bob')]
  server.clock.advance(years)
  await mention(bob, alice)
  server.clock.advance(-years)
  const revOf = async ({ did }: Account) =>
    (await server.get('com.core.sync.getLatestCommit', { did })).body.rev as string
  const before = await revOf(bob)
  await mention(bob, alice)
  await mention(alice, bob)
  expect((await revOf(bob)) > before).toBe(true)
  expect((await revOf(alice)) < before).toBe(true)
})

describe('trust is regained', () => {
  const isPlausible = () => services().clock.isPlausible()

  test('by running: after a day at most for a computer that was off for three weeks', async () => {
    server.clock.advance(21 * day)
    await run(60)
    expect(isPlausible()).toBe(false)
    await run(14 * 60)
    expect(isPlausible()).toBe(true)
  })

  test('by the time that another server states; one that contradicts it stops the approach', async () => {
    server.clock.advance(21 * day)
    services().clock.witness(new Date(server.clock.now().getTime() - 21 * day))
    await run(20 * 60)
    expect(isPlausible()).toBe(false)
    expect(services().clock.state().elsewhere?.getTime()).toBeLessThan(server.clock.now().getTime())
    services().clock.witness(server.clock.now())
    expect(isPlausible()).toBe(true)
  })

  test('by the clock of the directory, which is read from its answers', async () => {
    const directory = await PlcDirectory.start()
    const other = await TestServer.start({ plcUrl: directory.url })
    try {
      const { clock, identity } = other.running.services
      const { did } = await other.account('alice')
      const ask = () => identity.resolveDid(did, { maxAgeMs: 0 })
      other.clock.advance(21 * day)
      directory.time = new Date(other.clock.now().getTime() - 21 * day)
      await ask()
      const { body } = await other.get('com.core.admin.getClock', {}, adminAuth)
      expect(body.doubt).toBe('ahead')
      expect(Date.parse(body.now) - Date.parse(body.elsewhere)).toBeGreaterThan(20 * day)
      directory.time = other.clock.now()
      await ask()
      expect(clock.isPlausible()).toBe(true)
    } finally {
      await other.close()
      await directory.close()
    }
  })

  test('by the confirmation of the administrator', async () => {
    const state = async () => (await server.get('com.core.admin.getClock', {}, adminAuth)).body
    expect((await state()).doubt).toBeUndefined()
    server.clock.advance(years)
    const wrong = await state()
    expect(wrong.doubt).toBe('ahead')
    expect(Date.parse(wrong.now) - Date.parse(wrong.trustedAt)).toBeGreaterThanOrEqual(years)
    const owner = await server.account('alice')
    const bob = await server.account('bob')
    const confirm = (auth: Account) => server.post('com.core.admin.confirmClock', undefined, auth)
    expect((await confirm(bob)).status).toBe(403)
    expect((await confirm(owner)).status).toBe(200)
    expect((await state()).doubt).toBeUndefined()
    expect(isPlausible()).toBe(true)
  })

  test('also for a clock that was ahead when it was trusted', async () => {
    await server.elapse(30 * day)
    server.clock.advance(-(hour * 30))
    expect(isPlausible()).toBe(false)
    await run(2 * 60)
    expect(isPlausible()).toBe(true)
  })

  test('and survives a restart', async () => {
    await server.elapse(30 * day)
    await server.restart()
    expect(isPlausible()).toBe(true)
  })
})
