/** What each session and app password wrote, by day. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { day } from '../../../support/server/clock.ts'
import { FullDisk } from '../../../support/server/full-disk.ts'
import { type Account, TestServer } from '../../../support/server/server.ts'

type Auth = Pick<Account, 'did' | 'accessJwt'>

let server: TestServer
let alice: Account
const disk = new FullDisk()

beforeEach(async () => {
  server = await TestServer.start({}, disk.files)
  alice = await server.account('alice')
})
afterEach(() => server.close())

const create = async (auth: Auth, rkey?: string) => {
  const input = { repo: auth.did, collection: 'com.example.note', rkey, record: {} }
  expect((await server.post('com.core.repo.createRecord', input, auth)).status).toBe(200)
}
const current = async (auth: Auth) => {
  const { body } = await server.get('com.core.server.listSessions', {}, auth)
  return body.sessions.find((session: { current: boolean }) => session.current)
}
const passwords = async (auth: Auth) =>
  (await server.get('com.core.server.listAppPasswords', {}, auth)).body.passwords

async function withAppPassword(name: string): Promise<Auth> {
  const { body } = await server.post('com.core.server.createAppPassword', { name }, alice)
  return again(body.password)
}
async function again(password: string): Promise<Auth> {
  return (await server.signIn({ ...alice, password })).body
}

test('creations, changes and deletions count, for the session that made them', async () => {
  await create(alice, 'one')
  const note = { repo: alice.did, collection: 'com.example.note', rkey: 'one' }
  await server.post('com.core.repo.putRecord', { ...note, record: { text: 'x' } }, alice)
  await server.post('com.core.repo.deleteRecord', note, alice)
  const writes = ['a', 'b'].map((rkey) => ({
    $type: 'com.core.repo.applyWrites#create',
    collection: 'com.example.note',
    rkey,
    value: {},
  }))
  await server.post('com.core.repo.applyWrites', { repo: alice.did, writes }, alice)
  expect((await current(alice)).writes).toEqual([{ day: '2030-01-01', count: 5 }])
  const other = await again(alice.password)
  expect((await current(other)).writes).toEqual([])
})

test('counts are kept while the clock is years ahead', async () => {
  const { clock, identity } = server.running.services
  await clock.check()
  await create(alice, 'one')
  await identity.written.write()
  const { body } = await server.post('com.core.server.refreshSession', undefined, alice.refreshJwt)
  server.clock.advance(3 * 365 * day)
  const { body: ahead } = await server.post('com.core.server.refreshSession', undefined, body.refreshJwt)
  await create({ ...alice, accessJwt: ahead.accessJwt }, 'two')
  await identity.written.write()
  server.clock.advance(-3 * 365 * day)
  await clock.check()
  expect((await current(alice)).writes).toEqual([{ day: '2030-01-01', count: 2 }])
})

test('counts that were noted while the clock was ahead are those of the day on which it is right', async () => {
  server.clock.advance(day)
  await create(await again(alice.password), 'one')
  server.clock.advance(-day)
  await server.running.services.clock.check()
  await server.running.services.identity.written.write()
  const { body } = await server.get('com.core.server.listSessions', {}, alice)
  const writes = body.sessions.flatMap((session: { writes: object[] }) => session.writes)
  expect(writes).toEqual([{ day: '2030-01-01', count: 1 }])
})

test('refused writes do not count', async () => {
  await create(alice, 'one')
  const taken = { repo: alice.did, collection: 'com.example.note', rkey: 'one', record: {} }
  expect((await server.post('com.core.repo.createRecord', taken, alice)).status).toBe(400)
  expect((await current(alice)).writes).toEqual([{ day: '2030-01-01', count: 1 }])
})

test('sessions of an app password are counted together, by day, over a restart', async () => {
  const { body } = await server.post('com.core.server.createAppPassword', { name: 'phone' }, alice)
  await create(await again(body.password))
  await create(await again(body.password))
  server.clock.advance(day)
  await create(await again(body.password))
  await server.restart()
  await create(await again(body.password))
  const full = await again(alice.password)
  expect(await passwords(full)).toMatchObject([
    {
      writes: [
        { day: '2030-01-02', count: 2 },
        { day: '2030-01-01', count: 2 },
      ],
    },
  ])
})

test('an app learns nothing of what others write', async () => {
  const phone = await withAppPassword('phone')
  await create(phone)
  expect((await passwords(phone))[0].writes).toBeUndefined()
})

test('counts stay for 90 days, and start anew with an app password of the same name', async () => {
  await create(await withAppPassword('phone'))
  server.clock.advance(60 * day)
  await server.post('com.core.server.revokeAppPassword', { name: 'phone' }, await again(alice.password))
  alice = { ...alice, ...(await again(alice.password)) }
  await create(await withAppPassword('phone'))
  expect(await passwords(alice)).toMatchObject([{ writes: [{ count: 1 }] }])
  await server.restart()
  server.clock.advance(40 * day)
  await server.running.services.clock.confirm()
  alice = { ...alice, ...(await again(alice.password)) }
  await create(alice)
  await server.restart()
  const rows = server.running.services.store.all('SELECT day FROM session_writes ORDER BY day')
  expect(rows).toHaveLength(2)
})

test('full disk: counts wait, and are written afterwards', async () => {
  await create(alice)
  disk.isFull = true
  const { identity, store } = server.running.services
  await identity.written.write().catch(() => {})
  expect((await current(alice)).writes).toMatchObject([{ count: 1 }])
  disk.isFull = false
  await create(alice)
  await identity.written.write()
  expect(store.all('SELECT count FROM session_writes')).toEqual([{ count: 2 }])
  expect((await current(alice)).writes).toMatchObject([{ count: 2 }])
})
