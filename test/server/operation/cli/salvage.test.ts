/** Damaged data of a server that was killed: what verifies is served again, and the event stream reports every repository anew. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StoreDamaged } from '../../../../server/store/files/store-errors.ts'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import { blobOf, download, filesIn, png } from '../../../support/records/blobs.ts'
import { TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { EventConsumer } from '../../../support/services/event-consumer.ts'
import { copyDataFolder } from '../../../support/store/copy-data-folder.ts'

const command = fileURLToPath(new URL('../../../../server/operation/cli/restore.ts', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-salvage-'))
})
afterEach(() => rm(folder, { recursive: true }))
setupServer({ accounts: ['alice'], per: 'test' })

async function write(text: string, more: object = {}): Promise<void> {
  const record = { $type: 'org.example.note', text, ...more }
  const { status } = await server.post(
    'com.core.repo.createRecord',
    { repo: alice.did, collection: 'org.example.note', record },
    alice,
  )
  expect(status).toBe(200)
}

async function texts(from: TestServer): Promise<string[]> {
  const params = { repo: alice.did, collection: 'org.example.note', reverse: 'true' }
  const { body } = await from.get('com.core.repo.listRecords', params)
  return body.records.map(({ value }: { value: { text: string } }) => value.text)
}

/** Copies the data as a power cut would leave them, and flips a byte of the last transaction. */
async function damagedCopy(): Promise<string> {
  const dataDir = join(folder, 'data')
  await copyDataFolder(server.config.dataDir, dataDir)
  const journal =
    (await readdir(dataDir))
      .filter((name) => name.endsWith('.journal'))
      .toSorted()
      .at(-1) ?? ''
  const content = await readFile(join(dataDir, journal))
  const at = content.lastIndexOf('frame ') + 200
  expect(at).toBeGreaterThan(200)
  content[at] = (content[at] ?? 0) ^ 1
  await writeFile(join(dataDir, journal), content)
  return dataDir
}

function salvage(dataDir: string, ...flags: string[]) {
  const args = ['--no-warnings', command, '--salvage', '--data-dir', dataDir, ...flags]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('all records but the lost one are served after a salvage, and the event stream says so', async () => {
  const picture = await blobOf(server, alice, png('kept'))
  const lostPicture = await blobOf(server, alice, png('lost'))
  await write('the first', { picture })
  await write('the second')
  await write('the lost one', { picture: lostPicture })
  const consumer = new EventConsumer(
    (did) => findByDid(server.running.services.store, did)?.signingKeyDid ?? '',
  )
  await consumer.connect(server.url)
  while (consumer.events.filter(({ type }) => type === '#commit').length < 3) await consumer.next()
  const before = consumer.seq
  consumer.close()

  const dataDir = await damagedCopy()
  const started = TestServer.start({ dataDir })
  await expect(started).rejects.toBeInstanceOf(StoreDamaged)
  await expect(started).rejects.toThrow('npm run restore -- --salvage')

  const asked = salvage(dataDir)
  expect(asked).toMatchObject({ status: 1, stderr: expect.stringContaining('--accept-loss') })
  expect(asked.stdout).toMatch(/Damaged or missing: pds\.\d+\.journal\.\nLost: 1 of the last transactions\./)
  // A place of another server has other accounts.
  expect(asked.stdout).toContain(`Accounts: ${alice.handle}.\n`)
  await expect(TestServer.start({ dataDir })).rejects.toBeInstanceOf(StoreDamaged)
  expect(salvage(dataDir, '--accept-loss')).toMatchObject({ status: 0, stderr: '' })

  const salvaged = await TestServer.start({ dataDir })
  expect(await texts(salvaged)).toEqual(['the first', 'the second'])
  expect((await download(salvaged, alice.did, picture.ref.$link)).status).toBe(200)
  await consumer.connect(salvaged.url)
  const reported = [await consumer.next(), await consumer.next(), await consumer.next()]
  expect(reported.map(({ type, payload }) => [type, payload.did])).toEqual([
    ['#account', alice.did],
    ['#identity', alice.did],
    ['#sync', alice.did],
  ])
  expect(reported[0]?.payload.seq).toBeGreaterThan(before + 1000)
  consumer.close()

  // The upload is older than the lost record. Nothing refers to it any more.
  salvaged.clock.advance(48 * 60 * 60_000)
  await salvaged.running.services.repository.blobs.expire()
  await salvaged.running.services.repository.blobs.sweep()
  const replaced = (await readdir(dataDir)).find((name) => name.startsWith('replaced-')) ?? ''
  const shardOf = (cid: string) => `${cid.slice(-2)}/${cid}`
  expect(await filesIn(dataDir, 'blobs')).toEqual([shardOf(picture.ref.$link)])
  expect(await filesIn(dataDir, replaced, 'blobs')).toContain(shardOf(lostPicture.ref.$link))
  await salvaged.close()
})

test('a journal that is absent is an unknown loss, not none', async () => {
  await write('the lost one')
  const dataDir = await damagedCopy()
  for (const name of await readdir(dataDir)) if (name.endsWith('.journal')) await rm(join(dataDir, name))
  await expect(TestServer.start({ dataDir })).rejects.toBeInstanceOf(StoreDamaged)
  const { stdout } = salvage(dataDir)
  expect(stdout).toMatch(
    /Damaged or missing: pds\.\d+\.journal\.\nLost: an unknown number of the last transactions\./,
  )
})

test('a start with damaged checksums of the database says so in the log', async () => {
  await write('kept')
  await server.running.close()
  const list = join(server.config.dataDir, 'pds.sqlite.pages')
  await writeFile(list, 'not a checksum')
  const warned = await TestServer.start({ dataDir: server.config.dataDir, logLevel: 'warn' })
  expect(warned.logged.join('')).toContain('checksum of the database was damaged')
  expect(await texts(warned)).toEqual(['kept'])
  expect((await readFile(list)).length % 4096).toBe(0)
  await warned.running.close()
  await server.open()
})

test('a database that another program changed is opened with --accept-changed', async () => {
  const dataDir = join(folder, 'changed')
  const changed = await TestServer.start({ dataDir })
  await changed.account('carol')
  await changed.running.close()
  const database = new DatabaseSync(join(dataDir, 'pds.sqlite'))
  database.exec('VACUUM')
  database.close()
  await expect(TestServer.start({ dataDir })).rejects.toBeInstanceOf(StoreDamaged)

  expect(salvage(dataDir)).toMatchObject({ status: 1, stderr: expect.stringContaining('--accept-changed') })
  expect(salvage(dataDir, '--accept-changed')).toMatchObject({ status: 0, stderr: '' })
  await changed.open()
  expect((await changed.get('com.core.repo.describeRepo', { repo: 'carol.test' })).status).toBe(200)
  await changed.close()
})
