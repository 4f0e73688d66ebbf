import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { schema } from '../../../../../server/schema/schema.ts'
import { runInWorker } from '../../../../../server/store/backups/tasks.ts'
import { iso } from '../../../../../server/util/time.ts'
import { blobOf, download, filesIn, png } from '../../../../support/records/blobs.ts'
import { runCommand } from '../../../../support/replicas/copies.ts'
import { databaseOf, sourceOf } from '../../../../support/replicas/local-backups.ts'
import { TestServer } from '../../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../../support/server/setup.ts'

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

function backUp() {
  const { config, clock, running } = server
  clock.advance(1000)
  return makeBackup({ dataDir: config.dataDir, now: clock.now, store: running.services.store })
}

const run = (command: string, ...args: string[]) => runCommand(command, args)

async function expectImage(there: TestServer): Promise<void> {
  const answer = await download(there, alice.did, cid)
  expect(Buffer.from(await answer.arrayBuffer()).equals(image)).toBe(true)
  expect(answer.headers.get('content-type')).toBe('image/png')
}

test('backups share the files of the server, and a restore brings a deleted blob back', async () => {
  const { dataDir } = server.config
  const backup = await backUp()
  await backUp()
  const there = join(dataDir, 'blobs', cid.slice(-2), cid)
  const kept = join(dataDir, 'backups', 'blobs', cid.slice(-2), cid)
  expect((await stat(kept)).ino).toBe((await stat(there)).ino)
  expect(await filesIn(dataDir, 'backups', 'blobs')).toEqual([`${cid.slice(-2)}/${cid}`])
  expect(await readFile(join(dataDir, 'backups', backup.name, 'media'), 'utf8')).toBe(`${cid}\n`)
  const { file, ...source } = await sourceOf(dataDir, backup)
  const content = await runInWorker({ kind: 'describe', dir: tmpdir(), file, options: { schema, ...source } })
  expect(content).toMatchObject({ blobs: 1, missingBlobs: 0 })

  await profile({ displayName: 'without an image' })
  await server.running.services.background.idle()
  expect((await download(server, alice.did, cid)).status).toBe(400)
  await server.running.close()
  await run('restore', iso(backup.at), '--data-dir', dataDir)
  await server.open()
  await expectImage(server)
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
  const copy = join(folder, 'copy.sqlite')
  await writeFile(copy, zstdDecompressSync(await readFile(databaseOf(server.config.dataDir, await backUp()))))
  const database = new DatabaseSync(copy, { readOnly: true })
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  expect(database.prepare('SELECT handle FROM accounts').all()).toEqual([{ handle: 'alice.test' }])
  database.close()
  const dataDir = join(folder, 'from-decompressed')
  await run('restore', copy, '--accept-loss', '--data-dir', dataDir)
  const there = await TestServer.start({ dataDir })
  expect((await there.get('com.core.repo.describeRepo', { repo: alice.did })).status).toBe(200)
  await there.close()
})

test('a backup without its blobs is restored after a question, and its owner learns which are missing', async () => {
  const alone = join(folder, 'alone.sqlite')
  await copyFile(databaseOf(server.config.dataDir, await backUp()), alone)
  const dataDir = join(folder, 'without-blobs')
  const restore = (...flags: string[]) => run('restore', alone, ...flags, '--data-dir', dataDir)
  await expect(restore()).rejects.toThrow('Nothing was changed. Add --accept-loss')
  expect(await readdir(dataDir)).not.toContain('pds.sqlite')
  expect(await restore('--accept-loss')).toContain('It lacks 1 media file.')
  const there = await TestServer.start({ dataDir })
  expect((await download(there, alice.did, cid)).status).toBe(400)
  const { body } = await there.get('com.core.repo.listMissingBlobs', {}, alice)
  expect(body.blobs).toMatchObject([{ cid }])
  await blobOf(there, alice, image)
  await expectImage(there)
  await there.close()
})
