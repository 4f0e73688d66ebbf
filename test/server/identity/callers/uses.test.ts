/** How often each session and app password was used, by day. */
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
  expect((await current(alice)).uses).toEqual([{ day: '2030-01-01', reads: 1, writes: 5, refusals: 0 }])
  const other = await again(alice.password)
  expect((await current(other)).uses).toEqual([{ day: '2030-01-01', reads: 1, writes: 0, refusals: 0 }])
})

test('counts are kept while the clock is years ahead', async () => {
  const { clock, identity } = server.running.services
  await clock.check()
  await create(alice, 'one')
  await identity.uses.write()
  const { body } = await server.post('com.core.server.refreshSession', undefined, alice.refreshJwt)
  server.clock.advance(3 * 365 * day)
  const { body: ahead } = await server.post('com.core.server.refreshSession', undefined, body.refreshJwt)
  await create({ ...alice, accessJwt: ahead.accessJwt }, 'two')
  await identity.uses.write()
  server.clock.advance(-3 * 365 * day)
  await clock.check()
  expect((await current(alice)).uses).toMatchObject([{ day: '2030-01-01', writes: 2 }])
})

test('counts that were noted while the clock was ahead are those of the day on which it is right', async () => {
  server.clock.advance(day)
  await create(await again(alice.password), 'one')
  server.clock.advance(-day)
  await server.running.services.clock.check()
  await server.running.services.identity.uses.write()
  const { body } = await server.get('com.core.server.listSessions', {}, alice)
  const uses = body.sessions.flatMap((session: { uses: object[] }) => session.uses)
  expect(uses).toMatchObject([
    { day: '2030-01-01', writes: 1 },
    { day: '2030-01-01', writes: 0 },
  ])
})

test('refused writes do not count', async () => {
  await create(alice, 'one')
  const taken = { repo: alice.did, collection: 'com.example.note', rkey: 'one', record: {} }
  expect((await server.post('com.core.repo.createRecord', taken, alice)).status).toBe(400)
  expect((await current(alice)).uses).toMatchObject([{ writes: 1, refusals: 0 }])
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
      uses: [
        { day: '2030-01-02', writes: 2 },
        { day: '2030-01-01', writes: 2 },
      ],
    },
  ])
})

test('an app learns nothing of what others do', async () => {
  const phone = await withAppPassword('phone')
  await create(phone)
  expect((await passwords(phone))[0].uses).toBeUndefined()
})

test('counts stay for 90 days, and start anew with an app password of the same name', async () => {
  await create(await withAppPassword('phone'))
  server.clock.advance(60 * day)
  await server.post('com.core.server.revokeAppPassword', { name: 'phone' }, await again(alice.password))
  alice = { ...alice, ...(await again(alice.password)) }
  await create(await withAppPassword('phone'))
  expect(await passwords(alice)).toMatchObject([{ uses: [{ writes: 1 }] }])
  await server.restart()
  server.clock.advance(40 * day)
  await server.running.services.clock.confirm()
  alice = { ...alice, ...(await again(alice.password)) }
  await create(alice)
  await server.restart()
  const rows = server.running.services.store.all('SELECT DISTINCT day FROM session_uses ORDER BY day')
  expect(rows).toHaveLength(2)
})

test('full disk: counts wait, and are written afterwards', async () => {
  await create(alice)
  disk.isFull = true
  const { identity, store } = server.running.services
  await identity.uses.write().catch(() => {})
  expect((await current(alice)).uses).toMatchObject([{ writes: 1 }])
  disk.isFull = false
  await create(alice)
  await identity.uses.write()
  expect(store.all('SELECT writes FROM session_uses')).toEqual([{ writes: 2 }])
  expect((await current(alice)).uses).toMatchObject([{ writes: 2 }])
})

test('queries count as reads, also those of a page in a cache, and no other calls do', async () => {
  const phone = await withAppPassword('phone')
  for (let at = 0; at < 3; at++) await server.get('com.core.server.getSession', {}, phone)
  await server.post('com.core.server.requestEmailConfirmation', undefined, phone)
  expect(await passwords(alice)).toMatchObject([{ uses: [{ reads: 3, writes: 0, refusals: 0 }] }])
})

test('calls that an app password is not allowed count as refusals, by the method and by its input', async () => {
  const { body } = await server.post(
    'com.core.server.createAppPassword',
    { name: 'phone', limit: 'postsOnly' },
    alice,
  )
  const phone = await again(body.password)
  const like = { repo: alice.did, collection: 'com.example.note', record: {} }
  expect((await server.post('com.core.repo.createRecord', like, phone)).status).toBe(403)
  expect((await server.get('com.core.server.listSessions', {}, phone)).status).toBe(400)
  expect(await passwords(alice)).toMatchObject([{ uses: [{ reads: 0, writes: 0, refusals: 2 }] }])
})

test('calls write nothing by themselves, and all calls of a day are one row', async () => {
  const phone = await withAppPassword('phone')
  const { store, identity } = server.running.services
  await server.get('com.core.server.getSession', {}, phone)
  const { commits } = store
  for (let at = 0; at < 50; at++) {
    expect((await server.get('com.core.server.getSession', {}, phone)).status).toBe(200)
    expect((await server.get('com.core.server.listSessions', {}, phone)).status).toBe(400)
  }
  expect(store.commits).toBe(commits)
  await identity.uses.write()
  expect(store.commits).toBe(commits + 1)
  expect(store.all('SELECT reads, refusals FROM session_uses')).toEqual([{ reads: 51, refusals: 50 }])
})

test('no counts stay of sessions and app passwords that have ended', async () => {
  const { store, identity } = server.running.services
  for (let at = 0; at < 5; at++) {
    const session = await again(alice.password)
    await server.get('com.core.server.getSession', {}, session)
    if (at % 2 === 0) await identity.uses.write()
    const { refreshJwt } = session as Account
    expect((await server.post('com.core.server.deleteSession', undefined, refreshJwt)).status).toBe(200)
  }
  const phone = await withAppPassword('phone')
  await server.get('com.core.server.getSession', {}, phone)
  await server.get('com.core.server.getSession', {}, alice)
  await identity.uses.write()
  const rows = () => store.all('SELECT access FROM session_uses').length
  expect(rows()).toBe(2)
  await server.post('com.core.server.revokeAppPassword', { name: 'phone' }, alice)
  await server.get('com.core.server.getSession', {}, alice)
  await identity.uses.write()
  expect(rows()).toBe(1)
})
