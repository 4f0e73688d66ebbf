/** A damaged page of a table that no backup has: the server serves all other rows, and repositories that fit them. */
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { damagedRepositories } from '../../../server/operation/backups/verify-repositories.ts'
import { databaseName, lockName } from '../../../server/platform/store/layout.ts'
import { pageBytes } from '../../../server/platform/store/pages/page-file.ts'
import { TestServer } from '../../support/server.ts'
import { owner as alice, server, setupServer } from '../../support/setup.ts'

const command = fileURLToPath(new URL('../../../server/operation/cli/restore.ts', import.meta.url))
const collection = 'org.example.note'
const count = 120

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-salvage-'))
})
afterEach(() => rm(folder, { recursive: true }))
setupServer({ accounts: ['alice'], config: { dailyBackups: false } })

let isWritten = false
async function writeNotes(): Promise<void> {
  if (isWritten) return
  isWritten = true
  for (let at = 0; at < count; at++) {
    const record = { $type: collection, text: `note ${at} ${'x'.repeat(600)}` }
    const input = { repo: alice.did, collection, rkey: `note-${at}`, record }
    expect((await server.post('com.core.repo.createRecord', input, alice)).status).toBe(200)
  }
}

/** Copies the data of the running server after a checkpoint, and flips a bit in pages of a table or index. */
async function damagedCopy(name: string, type: 'leaf' | 'internal' | 'first'): Promise<string> {
  await writeNotes()
  await server.running.services.store.checkpoint()
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const { dataDir: source } = server.config
  await cp(source, dataDir, { recursive: true, filter: (path) => !path.startsWith(join(source, lockName)) })
  const path = join(dataDir, databaseName)
  const db = new DatabaseSync(path, { readOnly: true })
  const pages = db.prepare('SELECT pageno, pagetype FROM dbstat WHERE name = ? ORDER BY path').all(name)
  db.close()
  const page = pages.find(({ pagetype }) => type === 'first' || pagetype === type)
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  const at = Number(page?.pageno) * pageBytes - 9
  await file.read(byte, 0, 1, at)
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
  await file.close()
  return dataDir
}

function salvage(dataDir: string): string {
  const args = ['--no-warnings', command, '--salvage', '--data-dir', dataDir, '--accept-loss']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

/** Calls whose answers need most tables. Returns the number of notes. */
async function use(dataDir: string): Promise<number> {
  const salvaged = await TestServer.start({ dataDir })
  try {
    const { body } = await salvaged.get('com.core.repo.listRecords', {
      repo: alice.did,
      collection,
      limit: '100',
    })
    const next = await salvaged.get('com.core.repo.listRecords', {
      ...{ repo: alice.did, collection, limit: '100', cursor: body.cursor },
    })
    expect((await fetch(`${salvaged.url}/xrpc/com.core.sync.getRepo?did=${alice.did}`)).status).toBe(200)
    expect((await salvaged.get('com.core.repo.describeRepo', { repo: alice.did })).status).toBe(200)
    const session = await salvaged.post('com.core.server.createSession', {
      identifier: alice.handle,
      password: alice.password,
    })
    expect(session.status).toBe(200)
    for (const rkey of ['note-0', 'note-60', 'new']) {
      const record = { $type: collection, text: 'written after the salvage' }
      const input = { repo: alice.did, collection, rkey, record }
      expect((await salvaged.post('com.core.repo.putRecord', input, session.body)).status).toBe(200)
    }
    expect(await damagedRepositories(salvaged.running.services.store)).toEqual([])
    return body.records.length + (body.cursor ? next.body.records.length : 0)
  } finally {
    await salvaged.close()
  }
}

test('of records: the lost ones are missing, and the repository has exactly the others', async () => {
  const dataDir = await damagedCopy('records', 'leaf')
  const said = salvage(dataDir)
  expect(said).toMatch(/Lost: \d+ rows of records\./)
  expect(said).toMatch(/The repository of alice\.test was damaged .* made anew from the \d+ records/)
  const lost = Number(/Lost: (\d+) rows of records/.exec(said)?.[1])
  expect(lost).toBeGreaterThan(0)
  expect(await use(dataDir)).toBe(count - lost)
})

test.each([
  ['records', 'internal', /No row is lost/],
  ['records_key', 'leaf', /No row is lost/],
  ['repo_blocks', 'leaf', /rows of repo_blocks.*made anew from the 120 records/s],
  ['repo_blocks', 'internal', /repo_blocks.*made anew from the 120 records/s],
  ['repos', 'first', /made anew from the 120 records/],
  ['actors', 'first', /Kept without some columns: \d+ rows of actors/],
  ['collections', 'first', /./],
  ['event_state', 'first', /event_state/],
  ['events', 'leaf', /rows of events/],
] as const)('of %s (%s): no record is lost', async (name, type, expected) => {
  const dataDir = await damagedCopy(name, type)
  expect(salvage(dataDir)).toMatch(expected)
  expect(await use(dataDir)).toBe(count)
})
