/** Checks of backups: each is restored into a scratch folder, opened and verified. */
import { hash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkRestore } from '../../../server/operation/backups/check.ts'
import { createBackupProofs } from '../../../server/operation/backups/proofs.ts'
import { periodicJobs } from '../../../server/operation/jobs/jobs.ts'
import { listBackups } from '../../../server/platform/store/backups/backup.ts'
import { writeProof } from '../../../server/platform/store/backups/backup-proof.ts'
import { checksumLine } from '../../../server/platform/store/backups/read-backup.ts'
import { nodeFiles } from '../../../server/platform/store/files.ts'
import type { Sqlite } from '../../../server/platform/store/sqlite.ts'
import { createLogger } from '../../../server/platform/util/log.ts'
import { blobOf, png } from '../../support/blobs.ts'
import { hour } from '../../support/clock.ts'
import { bytesOf, openBytes } from '../../support/database-bytes.ts'
import { owner as alice, server, setupServer } from '../../support/setup.ts'

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
const scratchFolders = async () => (await readdir(folder)).filter((name) => name.startsWith('check-'))

test('a check records beside the backup that it can be restored, and leaves nothing else', async () => {
  const { file } = await services().store.backup()
  expect((await listBackups(server.config.dataDir))[0]?.proof).toBeUndefined()
  const before = await readdir(folder)
  expect(await services().operation.backupProofs.proveDue()).toEqual([])
  expect(await readdir(folder)).toEqual([...before, `${basename(file)}.proof.json`].toSorted())
  const proof = async () => (await listBackups(server.config.dataDir))[0]?.proof
  const first = await proof()
  expect(first).toEqual({
    checkedAt: expect.any(Date),
    provenAt: first?.checkedAt,
    problem: undefined,
    missing: undefined,
  })

  // The newest one is checked again after a week.
  server.clock.advance(6 * 24 * hour)
  await services().operation.backupProofs.proveDue()
  expect(await proof()).toEqual(first)
  server.clock.advance(24 * hour)
  await services().operation.backupProofs.proveDue()
  const { checkedAt = new Date(0) } = (await proof()) ?? {}
  expect(checkedAt > (first?.checkedAt ?? checkedAt)).toBe(true)
})

test('a check does not start on a disk that it would fill', async () => {
  const { file } = await services().store.backup()
  const files = { ...nodeFiles, freeBytes: async () => 100_000 }
  const proofs = createBackupProofs({ dataDir: server.config.dataDir, now: () => new Date(), files })
  await expect(proofs.prove(file)).rejects.toThrow('too little free space to test a backup')
  expect(await scratchFolders()).toEqual([])
})

describe('a backup that cannot be restored', () => {
  let original: string
  beforeAll(async () => {
    original = (await services().store.backup()).file
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
    await writeFile(`${file}.sha256`, checksumLine(hash('sha256', bytes), basename(file)))
    const job = { file, scratch, at: server.clock.now() }
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
    const { file } = await services().store.backup()
    const { backupProofs } = services().operation
    const provenAt = server.clock.now()
    await writeProof(nodeFiles, file, { checkedAt: provenAt, problem: undefined, missing: undefined })
    server.clock.advance(hour)
    await writeFile(file, (await readFile(file)).subarray(0, -10))
    const problem = 'The file is damaged or cut short.'
    expect(await backupProofs.prove(file)).toMatchObject({ provenAt, problem })
    expect((await listBackups(server.config.dataDir))[0]?.proof?.problem).toBe(problem)
    expect(await scratchFolders()).toEqual([])
  })
})

test('the periodic check logs a backup that cannot be restored, once', async () => {
  const { file } = await services().store.backup()
  const dataDir = await mkdtemp(join(tmpdir(), 'pds-proofs-'))
  const damaged = join(dataDir, 'backups', basename(file))
  await mkdir(dirname(damaged))
  await writeFile(damaged, (await readFile(file)).subarray(0, -10))
  await copyFile(`${file}.sha256`, `${damaged}.sha256`)
  const lines: string[] = []
  const log = createLogger('error', { write: (line) => void lines.push(line) })
  // With given files, checks run in this thread, which saves the start of a worker.
  const files = { ...nodeFiles }
  const backupProofs = createBackupProofs({ dataDir, now: server.clock.now, files })
  const job = periodicJobs({ ...services(), operation: { ...services().operation, backupProofs }, log }).find(
    ({ name }) => name === 'check of backups',
  )
  await job?.run()
  await job?.run()
  const problem = 'The file is damaged or cut short.'
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', file: damaged, problem, msg: 'backup cannot be restored' },
  ])
  await rm(dataDir, { recursive: true })
})

test('a check that is ended leaves no scratch folder and no result', async () => {
  const { file } = await services().store.backup()
  const stop = new AbortController()
  const proofs = createBackupProofs({
    dataDir: server.config.dataDir,
    now: server.clock.now,
    signal: stop.signal,
  })
  const check = proofs.prove(file)
  stop.abort()
  await expect(check).rejects.toThrow()
  expect(await scratchFolders()).toEqual([])
  expect(await readdir(folder)).not.toContain(`${basename(file)}.proof.json`)
})

test('the next start removes what a crash left among the backups, and nothing else', async () => {
  const { file } = await services().store.backup()
  const name = basename(file)
  const pool = join(dirname(file), 'blobs', cid.slice(-2))
  await mkdir(join(folder, 'check-crashed/data'), { recursive: true })
  const left = [
    `${name}.tmp`,
    `${name}.sha256.tmp`,
    `${name}.proof.json.tmp`,
    'pds-daily-20200101T000000000Z.sqlite.zst.sha256',
    'pds-daily-20200101T000000000Z.sqlite.zst.proof.json',
    'check-crashed/data/pds.sqlite',
  ].map((one) => join(folder, one))
  left.push(join(pool, `${cid}.tmp`))
  const kept = ['mine.sqlite', 'mine.sqlite.sha256', 'notes.tmp'].map((one) => join(folder, one))
  for (const path of [...left, ...kept]) await writeFile(path, 'x')
  const inUse = join(folder, 'check-running')
  await mkdir(inUse)
  const lock = await nodeFiles.lock(inUse)

  await server.restart()
  await services().background.idle()
  expect(await scratchFolders()).toEqual(['check-running'])
  const there = (await readdir(folder, { recursive: true })).map((one) => join(folder, one))
  expect(there).toEqual(expect.arrayContaining([...kept, file, `${file}.sha256`, join(pool, cid)]))
  expect(left.filter((path) => there.includes(path))).toEqual([])
  await lock.release()
})
