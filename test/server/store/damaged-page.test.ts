/** A page of the database that is damaged on the disk: what needs it fails, everything else works. */

import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { databaseName } from '../../../server/store/files/layout.ts'
import { pageBytes } from '../../../server/store/pages/page.ts'
import { RemoteServer } from '../../support/remote/remote-server.ts'
import { day, hour, minute } from '../../support/server/clock.ts'
import { adminAuth, refusal } from '../../support/server/server.ts'
import { owner, server, setupServer } from '../../support/server/setup.ts'
import { createdAt } from '../../support/server/social.ts'
import { until } from '../../support/server/until.ts'

setupServer({ accounts: ['alice'], config: { logLevel: 'error' }, per: 'test' })

const collection = 'org.example.thing'
const read = (rkey: number) =>
  server.get('com.core.repo.getRecord', { repo: owner.did, collection, rkey: `${rkey}` })
const write = (rkey: number, text: string) => {
  const input = { repo: owner.did, collection, rkey: `${rkey}`, record: { text } }
  return server.post('com.core.repo.putRecord', input, owner)
}
const dataCheck = async () => (await server.get('com.core.admin.getDataCheck', {}, adminAuth)).body
const logged = () => server.logged.filter((line) => line.includes('page of the database is damaged'))
const checkPages = () => server.running.services.operation.pageCheck.run()

/** The pages of a table of the stopped server that have its rows. */
function leavesOf(table: string): number[] {
  const db = new DatabaseSync(join(server.config.dataDir, databaseName), { readOnly: true })
  const leaves = db.prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'").all(table)
  db.close()
  return leaves.map(({ pageno }) => Number(pageno))
}

/** Flips a byte of a record in the table of the stopped server. */
async function damage(text: string): Promise<void> {
  const path = join(server.config.dataDir, databaseName)
  const leaves = leavesOf('records')
  const file = await open(path, 'r+')
  try {
    const page = Buffer.alloc(pageBytes)
    for (const pageno of leaves) {
      const start = (pageno - 1) * pageBytes
      await file.read(page, 0, pageBytes, start)
      const at = page.indexOf(text)
      if (at === -1) continue
      await file.write(Buffer.from([(page[at] ?? 0) ^ 1]), 0, 1, start + at)
      return
    }
  } finally {
    await file.close()
  }
  throw new Error('the record is on no page')
}

/** Damages the first page with rows of a table of the stopped server. */
async function damageFirst(table: string): Promise<void> {
  const [pageno = 0] = leavesOf(table)
  const file = await open(join(server.config.dataDir, databaseName), 'r+')
  await file.write('damaged', (pageno - 1) * pageBytes + 1000)
  await file.close()
}

async function writeRecords(): Promise<void> {
  for (let rkey = 0; rkey < 20; rkey++)
    expect((await write(rkey, `record ${rkey}. ${'x'.repeat(1500)}`)).status).toBe(200)
  await server.running.services.store.checkpoint()
}

async function restartDamaged(text: string): Promise<void> {
  await server.running.close()
  await damage(text)
  await server.open()
}

test('the request that needs it gets an error, the owner is informed, and others are answered', async () => {
  await writeRecords()
  await restartDamaged('record 10.')
  expect(await dataCheck()).toMatchObject({ damagedPages: 0 })
  const refused = refusal(503, 'NotEnoughResources', expect.stringContaining('damaged on the disk'))
  expect(await read(10)).toMatchObject(refused)
  expect(await read(10)).toMatchObject(refused)
  expect((await write(10, 'new')).status).toBe(503)
  expect((await read(0)).status).toBe(200)
  expect((await read(19)).status).toBe(200)
  expect((await write(20, 'new')).status).toBe(200)
  expect((await read(20)).body.value).toMatchObject({ text: 'new' })
  expect(await dataCheck()).toMatchObject({ damagedPages: 1 })
  expect(logged()).toHaveLength(1)
  expect(logged()[0]).toContain(databaseName)
})

test('the check of all pages finds it within a week, and remembers it after a restart', async () => {
  await writeRecords()
  await checkPages()
  await server.elapse(7 * day)
  await checkPages()
  const { verifiedAt } = await dataCheck()
  expect(server.clock.now().getTime() - Date.parse(verifiedAt)).toBeLessThan(minute)

  await restartDamaged('record 10.')
  expect(await dataCheck()).toMatchObject({ verifiedAt, damagedPages: 0 })
  await server.elapse(7 * day - hour)
  await checkPages()
  expect(await dataCheck()).toMatchObject({ verifiedAt, damagedPages: 1 })
  await server.restart()
  expect(await dataCheck()).toMatchObject({ verifiedAt, damagedPages: 1 })
  expect((await read(0)).status).toBe(200)
})

test('a change of the data goes on when work that follows it needs a damaged page', async () => {
  await server.running.services.store.checkpoint()
  await server.running.close()
  await damageFirst('event_removals')
  await server.open()
  expect((await write(0, 'new')).status).toBe(200)
  expect((await write(1, 'new')).status).toBe(200)
  await server.running.services.background.idle()
  expect(logged()).toHaveLength(1)
  expect(server.logged.filter((line) => line.includes('work after a change'))).toEqual([])
})

test('an event of another server that needs it ends the connection, and nothing else', async () => {
  const remote = await RemoteServer.start()
  const bob = await remote.account('bob')
  const record = { $type: 'app.bsky.feed.post', text: 'Hello', createdAt }
  const post = { repo: owner.did, collection: 'app.bsky.feed.post', record }
  const { body: subject } = await server.post('com.core.repo.createRecord', post, owner)
  await server.post('com.core.admin.addUpstream', { url: remote.url }, adminAuth)
  await remote.connected()
  await remote.create(bob, 'app.bsky.feed.like', { subject, createdAt })
  await until(server, async () => (await notifications()).length === 1)

  await server.running.services.store.checkpoint()
  await server.running.close()
  await damageFirst('activity_subscriptions')
  const connections = remote.cursors.length
  await server.open()
  await remote.connected(connections + 1)
  await remote.create(bob, 'app.bsky.feed.post', { text: 'Nothing of yours', createdAt })
  await until(server, async () => (await upstreams())[0].state === 'waiting')
  expect(await dataCheck()).toMatchObject({ damagedPages: 1 })
  expect((await write(0, 'new')).status).toBe(200)
  expect(await notifications()).toHaveLength(1)
  await remote.close()
})

const notifications = async () =>
  (await server.get('app.bsky.notification.listNotifications', {}, owner)).body.notifications
const upstreams = async () => (await server.get('com.core.admin.listUpstreams', {}, adminAuth)).body.upstreams
