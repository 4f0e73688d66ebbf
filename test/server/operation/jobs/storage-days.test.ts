/** The storage that the server and its accounts use, measured once a day. */
import { beforeEach, expect, test } from 'vitest'
import { periodicJobs } from '../../../../server/operation/jobs/jobs.ts'
import { makeBackup } from '../../../../server/operation/replicas/local/backups.ts'
import { blobOf, png } from '../../../support/records/blobs.ts'
import { day } from '../../../support/server/clock.ts'
import type { Account } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { body } from '../../../support/server/social.ts'

setupServer({ per: 'test' })

let alice: Account
const picture = png('picture')
beforeEach(async () => {
  alice = await server.account('alice')
})

async function measure(): Promise<void> {
  const { services } = server.running
  const job = periodicJobs(services).find(({ name }) => name === 'measurement of storage')
  await job?.run()
}
const signIn = async (account = alice) => body(await server.signIn(account))
const storage = async () => body(await server.get('com.core.admin.getStorage', {}, await signIn())).days
const ownDays = async (account = alice) =>
  body(await server.get('com.core.server.getUsage', {}, await signIn(account))).days

async function addPicture(): Promise<void> {
  const record = { picture: await blobOf(server, alice, picture) }
  const input = { repo: alice.did, collection: 'com.example.note', record }
  body(await server.post('com.core.repo.createRecord', input, alice))
}

test('the owner sees each day and now: database, media, backups and the free space of the disk', async () => {
  await measure()
  await addPicture()
  await measure()
  const { clock, config } = server
  await makeBackup({ dataDir: config.dataDir, now: clock.now, store: server.running.services.store })
  clock.advance(day)
  const [first, now, ...more] = await storage()
  expect(more).toEqual([])
  expect(first).toMatchObject({ day: '2030-01-01', media: 0, backups: 0 })
  expect(first.database).toBeGreaterThan(100_000)
  expect(first.free).toBeGreaterThan(0)
  expect(now).toMatchObject({ day: '2030-01-02', media: picture.length })
  expect(now.backups).toBeGreaterThan(1000)
})

test('an account sees its own part', async () => {
  const bob = await server.account('bob')
  await measure()
  await addPicture()
  server.clock.advance(day)
  const [before, now, ...more] = await ownDays()
  expect(more).toEqual([])
  expect(before).toEqual({ day: '2030-01-01', records: 0, media: 0 })
  expect(now).toMatchObject({ day: '2030-01-02', media: picture.length })
  expect(now.records).toBeGreaterThan(50)
  expect((await ownDays(bob)).at(-1)).toEqual({ day: '2030-01-02', records: 0, media: 0 })
})

test('90 days are kept, and none of an account that was deleted', async () => {
  const bob = await server.account('bob')
  const { store } = server.running.services
  for (let at = 0; at < 92; at++) {
    await measure()
    await server.elapse(day)
  }
  const days = await storage()
  expect(days).toHaveLength(90)
  expect(days.at(-1).day).toBe('2030-04-03')
  const rows = () => store.all('SELECT count(*) AS n FROM account_storage_days GROUP BY account')
  expect(rows()).toEqual([{ n: 90 }, { n: 90 }])
  body(await server.post('com.core.admin.deleteAccount', { did: bob.did }, await signIn()))
  expect(rows()).toEqual([{ n: 90 }])
})

test('a clock that is ahead measures nothing, deletes nothing, and leaves no day of the future', async () => {
  const { clock, store } = server.running.services
  await measure()
  await clock.check()
  server.clock.advance(3 * 365 * day)
  await measure()
  expect(store.all('SELECT day FROM storage_days')).toEqual([{ day: '2030-01-01' }])
  await clock.confirm()
  await measure()
  expect(store.all('SELECT day FROM storage_days')).toEqual([{ day: '2032-12-31' }])
  server.clock.advance(-3 * 365 * day)
  await clock.confirm()
  await measure()
  const days = await storage()
  expect(days).toHaveLength(1)
  expect(store.all('SELECT day FROM storage_days')).toEqual([{ day: '2030-01-01' }])
})
