/** Last-used times of sessions and app passwords: collected in memory, written by a job, never by a read. */
import { afterEach, expect, test } from 'vitest'
import { hour, minute } from '../../../support/server/clock.ts'
import { FullDisk } from '../../../support/server/full-disk.ts'
import { type Account, TestServer } from '../../../support/server/server.ts'

let server: TestServer
afterEach(() => server.close())

type Auth = Pick<Account, 'accessJwt'>

const read = (auth: Auth) => server.get('com.core.server.getSession', {}, auth)
const lastUsedOf = (table: 'sessions' | 'app_passwords') =>
  server.running.services.store
    .all<{ at: string }>(`SELECT last_used_at AS at FROM ${table} ORDER BY at DESC`)
    .map(({ at }) => at)
const sessionsOf = async (auth: Auth) =>
  (await server.get('com.core.server.listSessions', {}, auth)).body.sessions
const appPasswordsOf = async (auth: Auth) =>
  (await server.get('com.core.server.listAppPasswords', {}, auth)).body.passwords

async function readAtOnce(auth: Auth, count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => read(auth)))
  return answers.map(({ status }) => status).filter((status) => status !== 200)
}

test('full disk: none of 1,000 concurrent authenticated reads is refused, whether or not a last use is due', async () => {
  const disk = new FullDisk()
  server = await TestServer.start({}, disk.files)
  const alice = await server.account('alice')
  disk.isFull = true
  expect(await readAtOnce(alice, 1000)).toEqual([])
  server.clock.advance(hour)
  expect(await readAtOnce(alice, 1000)).toEqual([])
})

test('a read with a last use due writes nothing', async () => {
  server = await TestServer.start()
  const alice = await server.account('alice')
  const { store } = server.running.services
  const before = store.commits
  server.clock.advance(hour)
  expect((await read(alice)).status).toBe(200)
  expect(store.commits).toBe(before)
})

test('listSessions and listAppPasswords show a last use before it is written', async () => {
  server = await TestServer.start()
  const alice = await server.account('alice')
  const app = await server.appSession(alice, 'phone')
  server.clock.advance(hour)
  const [stored] = lastUsedOf('app_passwords')
  await read(app)
  const [phone] = await appPasswordsOf(app)
  expect(Date.parse(phone.lastUsedAt) - Date.parse(stored ?? '')).toBeGreaterThanOrEqual(hour)
  const [newest] = await sessionsOf(alice)
  expect(newest.lastUsedAt >= phone.lastUsedAt).toBe(true)
  expect(lastUsedOf('app_passwords')).toEqual([stored])
})

test('last uses are written at close', async () => {
  server = await TestServer.start()
  const alice = await server.account('alice')
  const app = await server.appSession(alice, 'phone')
  server.clock.advance(hour)
  await read(app)
  const [phone] = await appPasswordsOf(app)
  await server.restart()
  expect(lastUsedOf('app_passwords')).toEqual([phone.lastUsedAt])
  expect(lastUsedOf('sessions')[0]).toBe(phone.lastUsedAt)
})

test('an app password made again under a revoked name is unused', async () => {
  server = await TestServer.start()
  const alice = await server.account('alice')
  const app = await server.appSession(alice, 'phone')
  server.clock.advance(10 * minute)
  await read(app)
  await server.post('com.core.server.revokeAppPassword', { name: 'phone' }, alice)
  await server.post('com.core.server.createAppPassword', { name: 'phone' }, alice)
  expect((await appPasswordsOf(alice))[0]).not.toHaveProperty('lastUsedAt')
})

test('an app password keeps the last use of a session that has ended', async () => {
  server = await TestServer.start()
  const alice = await server.account('alice')
  const first = await server.appSession(alice, 'phone')
  server.clock.advance(hour)
  const { body: second } = await server.signIn({ ...alice, password: first.password })
  const before = await appPasswordsOf(alice)
  await server.post('com.core.server.deleteSession', undefined, second.accessJwt)
  expect(await appPasswordsOf(alice)).toEqual(before)
})

test('last uses are written only while the store accepts writes', async () => {
  const disk = new FullDisk()
  server = await TestServer.start({}, disk.files)
  const alice = await server.account('alice')
  const { store, identity } = server.running.services
  disk.isFull = true
  expect((await server.post('com.core.server.createAppPassword', { name: 'phone' }, alice)).status).toBe(503)
  server.clock.advance(hour)
  await read(alice)
  const [stored] = lastUsedOf('sessions')
  const { commits, epoch } = store
  await identity.lastUsed.write()
  expect([store.commits, store.epoch]).toEqual([commits, epoch])
  disk.isFull = false
  await server.post('com.core.server.createAppPassword', { name: 'phone' }, alice)
  await identity.lastUsed.write()
  expect((lastUsedOf('sessions')[0] ?? '') > (stored ?? '')).toBe(true)
})

test('writing an earlier use does not overwrite the time of a later refresh', async () => {
  server = await TestServer.start()
  const alice = await server.account('alice')
  server.clock.advance(hour)
  await read(alice)
  server.clock.advance(minute)
  await server.post('com.core.server.refreshSession', undefined, alice.refreshJwt)
  const refreshed = lastUsedOf('sessions')
  await server.running.services.identity.lastUsed.write()
  expect(lastUsedOf('sessions')).toEqual(refreshed)
})

test('a use that was noted while the clock was ahead gives way to the next one, before it is written', async () => {
  server = await TestServer.start()
  const alice = await server.account('alice')
  server.clock.advance(hour)
  await read(alice)
  server.clock.advance(-30 * minute)
  await read(alice)
  const [session] = await sessionsOf(alice)
  expect(session.lastUsedAt <= server.clock.now().toISOString()).toBe(true)
})
