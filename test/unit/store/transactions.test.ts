import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Database } from '../../../server/store/database.ts'

const migrations = [
  { sql: 'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, data BLOB) STRICT' },
]

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pds-store-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const open = () => Database.open({ dir, migrations, now: () => new Date('2026-11-01T00:00:00.000Z') })

test('what was written is there after a clean close', async () => {
  const db = await open()
  await db.transact((tx) =>
    tx.run('INSERT INTO note (text, data) VALUES (?, ?)', ['a\ud800\0b', Uint8Array.of(0, 1)]),
  )
  await db.close()
  const again = await open()
  expect(again.all('SELECT * FROM note')).toEqual([{ id: 1, text: 'a\ufffd\0b', data: Uint8Array.of(0, 1) }])
  await again.transact((tx) => tx.run('INSERT INTO note (text) VALUES (?)', ['second']))
  await again.checkpoint()
  expect(readdirSync(dir).sort()).toEqual([
    'pds.000000000003.journal',
    'pds.lock',
    'pds.sqlite',
    'pds.sqlite.sha256',
  ])
  await again.close()
})
