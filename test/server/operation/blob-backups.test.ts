import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInWorker } from '../../../server/platform/store/backups/tasks.ts'
import { schema } from '../../../server/platform/store/schema.ts'
import { blobOf, download, filesIn, png } from '../../support/blobs.ts'
import { TestServer } from '../../support/server.ts'
import { owner as alice, server, setupServer } from '../../support/setup.ts'

let folder: string
let cid: string
const image = png('kept', 5000)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-blobs-'))
})
afterAll(() => rm(folder, { recursive: true }))
setupServer({ accounts: ['alice'] })
beforeAll(async () => {
  const avatar = await blobOf(server, alice, image)
  cid = avatar.ref.$link
  await profile({ avatar })
})

function profile(record: Record<string, unknown>) {
  const input = { repo: alice.did, collection: 'app.example.actor.profile', rkey: 'self', record }
  return server.post('com.core.repo.putRecord', input, alice)
}

/** Runs a command without a terminal. */
function run(command: string, ...args: string[]) {
  const script = fileURLToPath(new URL(`../../../server/operation/cli/${command}.ts`, import.meta.url))
  return promisify(execFile)(process.execPath, ['--no-warnings', script, ...args])
}

async function expectImage(there: TestServer): Promise<void> {
  const answer = await download(there, alice.did, cid)
  expect(Buffer.from(await answer.arrayBuffer()).equals(image)).toBe(true)
  expect(answer.headers.get('content-type')).toBe('image/png')
}

test('backups share the files of the server, and a restore brings a deleted blob back', async () => {
  const { store, background } = server.running.services
  const { file } = await store.backup('daily')
  await store.backup('daily')
  const there = join(server.config.dataDir, 'blobs', cid.slice(-2), cid)
  const kept = join(dirname(file), 'blobs', cid.slice(-2), cid)
  expect((await stat(kept)).ino).toBe((await stat(there)).ino)
  expect(await filesIn(dirname(file), 'blobs')).toEqual([`${cid.slice(-2)}/${cid}`])
  await promisify(execFile)('sha256sum', ['--check', '--strict', `${file}.sha256`], { cwd: dirname(file) })
  const content = await runInWorker({ kind: 'describe', dir: tmpdir(), file, schema })
  expect(content).toMatchObject({ blobs: 1, missingBlobs: 0 })

  await profile({ displayName: 'without an image' })
  await background.idle()
  expect((await download(server, alice.did, cid)).status).toBe(400)
  await server.running.close()
  await run('restore', file, '--data-dir', server.config.dataDir)
  await server.open()
  await expectImage(server)
})

test('a one-file backup holds the blobs, encrypted, and restores them on another machine', async () => {
  const file = join(folder, 'all.tar.gz.age')
  await server.running.services.store.export(file, 'a long passphrase')
  expect((await readFile(file)).includes(image.subarray(0, 100))).toBe(false)
  const dataDir = join(folder, 'elsewhere')
  await runInWorker({
    kind: 'restore',
    dir: dataDir,
    file,
    passphrase: 'a long passphrase',
    schema,
    at: new Date(),
  })
  const there = await TestServer.start({ dataDir })
  await expectImage(there)
  await there.close()
})

test('a one-file backup that tar unpacks is a data directory', async () => {
  const file = join(folder, 'all.tar.gz')
  for (const left of ['outbox', 'admin-password'])
    await writeFile(join(server.config.dataDir, left), 'left out')
  await run('backup', '--export', file, '--unprotected', '--data-dir', server.config.dataDir)
  const dataDir = await mkdtemp(join(folder, 'unpacked-'))
  await promisify(execFile)('tar', ['-xzf', file, '-C', dataDir])
  expect((await readdir(dataDir)).sort()).toEqual(['blobs', 'pds.sqlite'])
  const there = await TestServer.start({ dataDir })
  await expectImage(there)
  await there.close()
})

test('a decompressed backup is an ordinary SQLite database, and can be restored', async () => {
  const { file } = await server.running.services.store.backup()
  const copy = join(folder, 'copy.sqlite')
  await writeFile(copy, zstdDecompressSync(await readFile(file)))
  const database = new DatabaseSync(copy, { readOnly: true })
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  expect(database.prepare('SELECT handle FROM accounts').all()).toEqual([{ handle: 'alice.test' }])
  database.close()
  const dataDir = join(folder, 'from-decompressed')
  await run('restore', copy, '--data-dir', dataDir)
  const there = await TestServer.start({ dataDir })
  expect((await there.get('com.core.repo.describeRepo', { repo: alice.did })).status).toBe(200)
  await there.close()
})

test('a backup without its blobs is restored, and its owner learns which are missing', async () => {
  const { file } = await server.running.services.store.backup()
  const alone = join(folder, 'alone.sqlite')
  await promisify(execFile)('cp', [file, alone])
  const dataDir = join(folder, 'without-blobs')
  await run('restore', alone, '--data-dir', dataDir)
  const there = await TestServer.start({ dataDir })
  expect((await download(there, alice.did, cid)).status).toBe(400)
  const { body } = await there.get('com.core.repo.listMissingBlobs', {}, alice)
  expect(body.blobs).toMatchObject([{ cid }])
  await blobOf(there, alice, image)
  await expectImage(there)
  await there.close()
})
