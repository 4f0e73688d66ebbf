/** Events of accounts whose identity the directory does not have yet: consumers could not verify them. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { periodicJobs } from '../../../../server/operation/jobs/jobs.ts'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import { PlcDirectory } from '../../../support/accounts/plc.ts'
import { hour, second } from '../../../support/server/clock.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { EventConsumer } from '../../../support/services/event-consumer.ts'

let directory: PlcDirectory
/** Short only where the directory never answers: a slow machine needs its time. */
const directoryWait: { directoryWaitMs?: number } = {}

beforeEach(async () => {
  directory = await PlcDirectory.start()
  delete directoryWait.directoryWaitMs
})
afterEach(() => directory.close())
setupServer({
  config: () => ({ plcUrl: directory.url, logLevel: 'warn' }),
  options: directoryWait,
  per: 'test',
})

const store = () => server.running.services.store
const eventsOf = (did: string) =>
  store()
    .all<{ kind: string }>('SELECT kind FROM events WHERE did = ? ORDER BY seq', [did])
    .map(({ kind }) => kind)
const listed = async () =>
  (await server.get('com.core.sync.listRepos')).body.repos.map(({ did }: { did: string }) => did)
const write = (account: Account) =>
  server.post(
    'com.core.repo.createRecord',
    { repo: account.did, collection: 'com.example.note', record: {} },
    account,
  )

/** Lets time pass, with the job that publishes identities at its interval. */
async function pass(ms: number): Promise<void> {
  const job = periodicJobs(server.running.services).find(({ name }) => name === 'PLC submission')
  const everyMs = job?.everyMs ?? 0
  for (let left = ms; left >= everyMs; left -= everyMs) {
    server.clock.advance(everyMs)
    await job?.run()
  }
}

async function reopen(settings: Record<string, unknown>): Promise<void> {
  await server.running.close()
  Object.assign(server.config, settings)
  await server.open()
  await server.running.services.background.idle()
}

test('a new account is in the directory before its events and the response', async () => {
  const alice = await server.account('alice')
  expect(directory.log(alice.did)).toHaveLength(1)
  expect(eventsOf(alice.did)).toEqual(['identity', 'account', 'commit'])
  await pass(60 * second)
  expect(directory.postedFor(alice.did)).toHaveLength(1)
  expect(eventsOf(alice.did)).toEqual(['identity', 'account', 'commit'])
})

test.each(['down', 'fails', 'hangs'] as const)(
  'while the directory is away (%s), accounts are created without events, and published within 30 s of its return',
  async (mode) => {
    if (mode === 'hangs') {
      directoryWait.directoryWaitMs = 100
      await reopen({})
    }
    const consumer = new EventConsumer((did) => findByDid(store(), did)?.signingKeyDid ?? '')
    await consumer.connect(server.url)
    directory.mode = mode
    const [alice, bob] = [await server.account('alice'), await server.account('bob')]
    expect((await write(alice)).status).toBe(200)
    if (mode !== 'hangs') await pass(2 * hour)
    expect(eventsOf(alice.did)).toEqual([])
    expect(await listed()).toEqual([])
    // Once for the account, and once for the outage.
    expect(server.logged.filter((line) => line.includes('PLC submission failed'))).toHaveLength(1)

    directory.mode = 'up'
    await pass(30 * second)
    for (const { did } of [alice, bob]) {
      expect(directory.log(did)).toHaveLength(1)
      expect(eventsOf(did)).toEqual(['identity', 'account', 'commit'])
    }
    expect(await listed()).toEqual([alice.did, bob.did])
    const again = { ...alice, ...(await server.signIn(alice)).body }
    expect((await write(again)).status).toBe(200)
    const seen = await consumer.until(7)
    expect(seen.map(({ type }) => type)).toEqual([
      ...['#identity', '#account', '#commit', '#identity', '#account', '#commit', '#commit'],
    ])
    expect(seen[2]?.payload.ops).toMatchObject([{ action: 'create', path: expect.stringContaining('/') }])
    consumer.close()
  },
)

test('a directory that is configured later: events are held back until it has the identity', async () => {
  await reopen({ plcUrl: undefined })
  const alice = await server.account('alice')
  expect(eventsOf(alice.did)).toEqual(['identity', 'account', 'commit'])
  directory.mode = 'down'
  await reopen({ plcUrl: directory.url })
  expect((await write(alice)).status).toBe(200)
  expect(eventsOf(alice.did)).toHaveLength(3)
  expect(await listed()).toEqual([])
  directory.mode = 'up'
  await pass(30 * second)
  expect(eventsOf(alice.did).slice(3)).toEqual(['identity', 'account', 'sync'])
  expect(await listed()).toEqual([alice.did])
})

test('a directory that is removed while it is away: the events that it held back are emitted', async () => {
  directory.mode = 'down'
  const alice = await server.account('alice')
  await reopen({ plcUrl: undefined })
  expect(eventsOf(alice.did)).toEqual(['identity', 'account', 'commit'])
  expect((await write(alice)).status).toBe(200)
  expect(eventsOf(alice.did)).toEqual(['identity', 'account', 'commit', 'commit'])
})

test('an account that is deactivated meanwhile is announced with its status; one that is deleted is not announced', async () => {
  directory.mode = 'down'
  const [alice, bob] = [await server.account('alice'), await server.account('bob')]
  await server.post('com.core.server.deactivateAccount', {}, alice)
  await server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth)
  directory.mode = 'up'
  await pass(30 * second)
  expect(eventsOf(alice.did)).toEqual(['identity', 'account'])
  expect(eventsOf(bob.did)).toEqual([])
  await server.post('com.core.server.activateAccount', undefined, alice)
  expect(eventsOf(alice.did).slice(2)).toEqual(['account', 'identity', 'sync'])
})

test('a refused identity does not delay others', async () => {
  directory.mode = 'down'
  const [alice, bob] = [await server.account('alice'), await server.account('bob')]
  directory.mode = 'up'
  directory.refused.add(alice.did)
  await pass(30 * second)
  expect(eventsOf(alice.did)).toEqual([])
  expect(eventsOf(bob.did)).toEqual(['identity', 'account', 'commit'])
})

test('of two new accounts with one handle, one is created; the log names the identity of the other', async () => {
  const create = (name: string) =>
    server.post('com.core.server.createAccount', {
      ...{ handle: 'wanted.test', email: `${name}@mail.test`, password: 'a good password' },
    })
  await server.account('owen')
  const answers = await Promise.all([create('alice'), create('bob')])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(answers.find(({ status }) => status === 400)).toMatchObject(refusal(400, 'HandleNotAvailable'))
  const orphans = directory.posted.filter(({ did }) => !findByDid(store(), did))
  expect(server.logged.filter((line) => line.includes('identity published'))).toHaveLength(orphans.length)
})
