/** Backups of a server that has been used for a year bring back every row and every file. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bringBack } from '../../../server/operation/replicas/bring-back.ts'
import { makeBackup } from '../../../server/operation/replicas/local/backups.ts'
import { localTarget } from '../../../server/operation/replicas/local/target.ts'
import { schema } from '../../../server/schema/schema.ts'
import { runInWorker } from '../../../server/store/backups/tasks.ts'
import { Database } from '../../../server/store/database.ts'
import { blobsName } from '../../../server/store/files/layout.ts'
import { changesBetween, contentsOf } from '../../support/lived-in/contents.ts'
import { setupLivedIn } from '../../support/lived-in/lived-in.ts'
import { filesIn } from '../../support/records/blobs.ts'
import { server } from '../../support/server/setup.ts'

setupLivedIn()

let folder: string
let rows: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-lived-'))
  // Its jobs would go on writing.
  await server.running.close()
  rows = await rowsIn(server.config.dataDir)
})

afterAll(() => rm(folder, { recursive: true }))

/** Opens a data folder without a server. */
async function open(directory: string): Promise<Database> {
  return Database.open({ directory, schema, now: server.clock.now })
}

async function rowsIn(directory: string): Promise<Record<string, string>> {
  const store = await open(directory)
  try {
    return contentsOf(store)
  } finally {
    await store.close()
  }
}

async function mediaIn(directory: string): Promise<Record<string, string>> {
  const folder = join(directory, blobsName)
  const names = await filesIn(folder)
  const contents = names.map(async (name) => [name, (await readFile(join(folder, name))).toString('base64')])
  return Object.fromEntries(await Promise.all(contents))
}

async function expectSame(directory: string): Promise<void> {
  expect(changesBetween(rows, await rowsIn(directory))).toEqual([])
  const media = await mediaIn(server.config.dataDir)
  expect(Object.keys(media).length).toBeGreaterThan(2)
  expect(await mediaIn(directory)).toEqual(media)
}

test('a one-file backup brings everything back on another computer', { timeout: 120_000 }, async () => {
  const passphrase = 'a long passphrase'
  const file = join(folder, 'all.tar.gz.age')
  const store = await open(server.config.dataDir)
  await store.export(file, passphrase)
  await store.close()
  const dir = join(folder, 'another-computer')
  await runInWorker({ kind: 'restore', dir, file, passphrase, schema, at: server.clock.now() })
  await expectSame(dir)
})

test('a backup brings everything back', { timeout: 120_000 }, async () => {
  const store = await open(server.config.dataDir)
  const { dataDir } = server.config
  const { now } = server.clock
  const { name } = await makeBackup({ dataDir, now, store })
  await store.close()
  const elsewhere = join(folder, 'from-backup')
  await bringBack({ target: localTarget(dataDir), dataDir: elsewhere, base: name, now })
  await expectSame(elsewhere)
})
