/** Checks of backups: each is restored into a scratch folder, opened and verified. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkBackups } from '../../../../../server/operation/jobs/daily-backup.ts'
import { periodicJobs } from '../../../../../server/operation/jobs/jobs.ts'
import { checkRestore } from '../../../../../server/operation/replicas/check-restore.ts'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { type Backup, listBackups } from '../../../../../server/operation/replicas/local/list.ts'
import { createBackupProofs } from '../../../../../server/operation/replicas/local/proofs.ts'
import { nodeFiles } from '../../../../../server/store/files/files.ts'
import type { Sqlite } from '../../../../../server/store/pages/sqlite.ts'
import { createLogger } from '../../../../../server/util/log.ts'
import { blobOf, png } from '../../../../support/records/blobs.ts'
import { databaseOf } from '../../../../support/replicas/local-backups.ts'
import { hour } from '../../../../support/server/clock.ts'
import { owner as alice, server, setupServer } from '../../../../support/server/setup.ts'
import { bytesOf, openBytes } from '../../../../support/store/database-bytes.ts'

let folder: string
let cid: string
const collection = 'org.example.thing'

setupServer({ accounts: ['alice', 'bob'] })
beforeAll(async () => {
  const image = await blobOf(server, alice, png('kept', 5000))
  cid = image.ref.$link
  const writes = Array.from({ length: 60 }, (_, n) => ({
    $type: 'com.core.repo.applyWrites#create',
    collection,
    rkey: `key-${n}`,
    value: n === 0 ? { image } : { n },
  }))
  await server.post('com.core.repo.applyWrites', { repo: alice.did, writes }, alice)
  folder = join(server.config.dataDir, 'backups')
})

const services = () => server.running.services
const dataDir = () => server.config.dataDir
function backUp() {
  server.clock.advance(1000)
  return makeBackup({ dataDir: dataDir(), now: server.clock.now, store: services().store })
}
const newestProof = async () => (await listBackups(dataDir()))[0]?.proof
const scratchFolders = async () => (await readdir(folder)).filter((name) => name.startsWith('check-'))

test('a check records beside the backup that it can be restored, and leaves nothing else', async () => {
  const { name, proof } = await backUp()
  expect(proof).toBeUndefined()
  const files = async () => (await readdir(folder, { recursive: true })).toSorted()
  const before = await files()
  expect(await services().operation.backupProofs.proveDue()).toEqual([])
  expect(await files()).toEqual([...before, join(name, 'proof')].toSorted())
  const first = await newestProof()
  expect(first).toEqual({
    checkedAt: expect.any(Date),
    provenAt: first?.checkedAt,
    problem: undefined,
    missing: undefined,
  })

  // The newest one is checked again after a week.
  server.clock.advance(6 * 24 * hour)
  await services().operation.backupProofs.proveDue()
  expect(await newestProof()).toEqual(first)
  server.clock.advance(24 * hour)
  await services().operation.backupProofs.proveDue()
  const { checkedAt = new Date(0) } = (await newestProof()) ?? {}
  expect(checkedAt > (first?.checkedAt ?? checkedAt)).toBe(true)
})

test('a check does not start on a disk that it would fill', async () => {
  const backup = await backUp()
  const files = { ...nodeFiles, freeBytes: async () => 100_000 }
  const proofs = createBackupProofs({ dataDir: dataDir(), now: () => new Date(), files })
  await expect(proofs.prove(backup)).rejects.toThrow('too little free space to test a backup')
  expect(await scratchFolders()).toEqual([])
})

/** Overwrites the last bytes of the database of a backup. */
async function spoil(backup: Backup, of = dataDir()): Promise<void> {
  const file = databaseOf(of, backup)
  const content = await readFile(file)
  await writeFile(file, content.fill(0, content.length - 10))
}

describe('a backup that cannot be restored', () => {
  let original: string
  beforeAll(async () => {
    original = databaseOf(dataDir(), await backUp())
  })

  /** Checks a copy of the backup that is changed as if this program had written it so. */
  async function problemAfter(change: (sqlite: Sqlite) => unknown): Promise<string | undefined> {
    const file = join(folder, 'changed.sqlite')
    const scratch = join(folder, 'check-test')
    const sqlite = await openBytes(original)
    sqlite.exec('PRAGMA foreign_keys = OFF')
    await change(sqlite)
    const bytes = bytesOf(sqlite)
    sqlite.close()
    await writeFile(file, bytes)
    const job = { file, scratch, at: server.clock.now(), blobFolders: [join(folder, 'blobs')] }
    const { problem } = await checkRestore(nodeFiles, job).finally(() => rm(scratch, { recursive: true }))
    return problem
  }

  const actor = `(SELECT id FROM accounts WHERE handle = 'alice.test')`
  const one = `actor = ${actor} AND rkey = 'key-7'`
  const damaged = 'The repository of alice.test is damaged: '

  test.each([
    ['nothing', 'SELECT 1', undefined],
    [
      'a record',
      `UPDATE records SET bytes = x'a0' WHERE ${one}`,
      `${damaged}the record ${collection}/key-7 was changed.`,
    ],
    [
      'the CID of a record',
      `UPDATE records SET cid = (SELECT cid FROM records WHERE rkey = 'key-8') WHERE ${one}`,
      `${damaged}the record ${collection}/key-7 is missing.`,
    ],
    [
      'a record that is missing',
      `DELETE FROM records WHERE ${one}`,
      `${damaged}the record ${collection}/key-7 is missing.`,
    ],
    [
      'a record too many',
      `INSERT INTO records (actor, collection, rkey, cid, bytes, indexed_at) SELECT actor, collection, 'key-x', cid, bytes, 0 FROM records WHERE ${one}`,
      `${damaged}1 records do not belong to its tree.`,
    ],
    [
      'a node of the tree',
      `UPDATE repo_blocks SET bytes = x'a0' WHERE actor = ${actor} AND cid = (SELECT tree_cid FROM repos WHERE actor = ${actor})`,
      expect.stringMatching(/^The repository of alice.test is damaged: the block \w+ was changed.$/),
    ],
    [
      'a node that is missing',
      `DELETE FROM repo_blocks WHERE actor = ${actor} AND cid = (SELECT tree_cid FROM repos WHERE actor = ${actor})`,
      expect.stringContaining(' is missing.'),
    ],
    [
      'the revision',
      `UPDATE repos SET rev = '3jzfcijpj2z2a' WHERE actor = ${actor}`,
      `${damaged}its commit is not the latest one.`,
    ],
    ['the head', `DELETE FROM repos WHERE actor = ${actor}`, `${damaged}its commit is missing.`],
    [
      'the public key',
      `UPDATE accounts SET signing_key_did = (SELECT signing_key_did FROM accounts WHERE handle = 'bob.test') WHERE handle = 'alice.test'`,
      `${damaged}its commit is not signed by the account.`,
    ],
    [
      'the private key',
      `UPDATE accounts SET signing_key = (SELECT signing_key FROM accounts WHERE handle = 'bob.test') WHERE handle = 'alice.test'`,
      `${damaged}its signing key is damaged.`,
    ],
    ['a newer version', 'PRAGMA user_version = 9999', 'A newer version of this program made it.'],
    [
      'a version that is too old',
      'UPDATE store_meta SET format = 1',
      'A version of this program from before its first release made it, which this one cannot open.',
    ],
  ])('%s', async (_, sql, problem) => {
    expect(await problemAfter((sqlite) => sqlite.exec(sql))).toEqual(problem)
  })

  test('the media', async () => {
    const path = join(folder, 'blobs', cid.slice(-2), cid)
    const missing = `A media file is missing or damaged: ${cid}.`
    expect(
      await problemAfter(async () => {
        await rm(path)
        await writeFile(path, 'other bytes')
      }),
    ).toBe(missing)
    expect(await problemAfter(() => rm(path))).toBe(missing)
  })

  test('the file: the result keeps when it was last proven', async () => {
    server.clock.advance(hour)
    const backup = await backUp()
    const { backupProofs } = services().operation
    const { provenAt } = await backupProofs.prove(backup)
    expect(provenAt).toBeInstanceOf(Date)
    server.clock.advance(hour)
    await spoil(backup)
    const problem = 'The file is damaged or cut short.'
    expect(await backupProofs.prove(backup)).toMatchObject({ provenAt, problem })
    expect(await newestProof()).toMatchObject({ provenAt, problem })
    expect(await scratchFolders()).toEqual([])
  })
})

test('the periodic check logs a backup that cannot be restored, once', async () => {
  const backup = await backUp()
  const elsewhere = await mkdtemp(join(tmpdir(), 'pds-proofs-'))
  await cp(join(folder, backup.name), join(elsewhere, 'backups', backup.name), { recursive: true })
  await spoil(backup, elsewhere)
  const lines: string[] = []
  const log = createLogger('error', { write: (line) => void lines.push(line) })
  // With given files, checks run in this thread, which saves the start of a worker.
  const files = { ...nodeFiles }
  const backupProofs = createBackupProofs({ dataDir: elsewhere, now: server.clock.now, files })
  const job = periodicJobs({ ...services(), operation: { ...services().operation, backupProofs }, log }).find(
    ({ name }) => name === 'check of backups',
  )
  await job?.run()
  await job?.run()
  const problem = 'The file is damaged or cut short.'
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', backup: backup.name, problem, msg: 'backup cannot be restored' },
  ])
  await rm(elsewhere, { recursive: true })
})

test('a check that is ended leaves no scratch folder and no result', async () => {
  const backup = await backUp()
  const stop = new AbortController()
  const { signal } = stop
  const check = createBackupProofs({ dataDir: dataDir(), now: server.clock.now, signal }).prove(backup)
  stop.abort()
  await expect(check).rejects.toThrow()
  expect(await scratchFolders()).toEqual([])
  expect(await newestProof()).toBeUndefined()
})

test('the next start removes what a crash left among the backups, and nothing else', async () => {
  const backup = await backUp()
  const pool = join(folder, 'blobs', cid.slice(-2))
  const cutOff = join('bases', '000000000001-20200101T000000000Z-1-000001_00')
  await mkdir(join(folder, 'check-crashed/data'), { recursive: true })
  await mkdir(join(folder, cutOff))
  const left = ['base-1-1.zst', 'base-1-2.zst.tmp', 'check-crashed/data/pds.sqlite', join(cutOff, 'media')]
    .map((one) => join(folder, one))
    .concat(join(pool, `${cid}.tmp`))
  const kept = ['mine.sqlite', 'base.zst', 'notes.tmp'].map((one) => join(folder, one))
  for (const path of [...left, ...kept]) await writeFile(path, 'x')
  const inUse = join(folder, 'check-running')
  await mkdir(inUse)
  const lock = await nodeFiles.lock(inUse)

  await server.restart()
  await services().background.idle()
  expect(await scratchFolders()).toEqual(['check-running'])
  const there = (await readdir(folder, { recursive: true })).map((one) => join(folder, one))
  const made = ['end', 'media'].map((name) => join(folder, backup.name, name))
  expect(there).toEqual(
    expect.arrayContaining([...kept, ...made, databaseOf(dataDir(), backup), join(pool, cid)]),
  )
  expect(left.filter((path) => there.includes(path))).toEqual([])
  await lock.release()
})

test('a check that the stop of the server ends is no failure', async () => {
  const { log } = services()
  const proveDue = () => Promise.reject(new Error('The replica files thread has ended.'))
  const stopping = checkBackups({ proveDue }, { log, signal: AbortSignal.abort() })
  await expect(stopping).resolves.toBeUndefined()
  const running = checkBackups({ proveDue }, { log, signal: new AbortController().signal })
  await expect(running).rejects.toThrow('has ended')
})
