/** A database that SQLite recovered from a damaged one is restored as BACKUPS.md describes, and the server opens it. */

import { spawnSync } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { damagedRepositories } from '../../../../server/operation/replicas/verify-repositories.ts'
import { databaseName } from '../../../../server/store/files/layout.ts'
import { pageBytes } from '../../../../server/store/pages/page.ts'

import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

const command = fileURLToPath(new URL('../../../../server/operation/cli/restore.ts', import.meta.url))
const collection = 'org.example.note'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-recovered-'))
})
afterEach(() => rm(folder, { recursive: true }))
setupServer({ accounts: ['alice'], config: { dailyBackups: false }, per: 'test' })

/** As `.recover` of SQLite: tables with the rows that are left, rows of unknown tables, then indexes and triggers. */
function copyRows(from: string, to: string): void {
  const db = new DatabaseSync(to)
  db.exec(`
    ATTACH '${from}' AS damaged;
    PRAGMA page_size = ${pageBytes}; PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON;
    CREATE TABLE lost_and_found (rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER, c0, c1)`)
  const entries = db
    .prepare("SELECT type, name, sql FROM damaged.sqlite_schema WHERE sql <> '' AND name NOT LIKE 'sqlite_%'")
    .all() as { type: string; name: string; sql: string }[]
  const tables = entries.filter(({ type }) => type === 'table')
  for (const { sql } of tables) db.exec(sql)
  for (const { name } of tables) {
    // Without generated columns.
    const columns = db.prepare(`PRAGMA main.table_info("${name}")`).all()
    const names = columns.map((column) => `"${column.name}"`)
    db.exec(`INSERT OR IGNORE INTO main."${name}" (${names}) SELECT ${names} FROM damaged."${name}"`)
  }
  db.exec("DELETE FROM main.records WHERE rkey = 'note-5'")
  for (const { type, sql } of entries) if (type !== 'table') db.exec(sql)
  for (const pragma of ['application_id', 'user_version']) {
    const row = db.prepare(`PRAGMA damaged.${pragma}`).get()
    db.exec(`PRAGMA main.${pragma} = ${Object.values(row ?? {})[0]}`)
  }
  db.close()
}

function recover(from: string, to: string): void {
  const { stderr } = spawnSync('sh', ['-c', 'sqlite3 "$0" .recover | sqlite3 "$1"', from, to], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
}

/** That of Debian is built without `sqlite_dbpage`, which `.recover` reads. */
const canRecover = spawnSync('sqlite3', [':memory:', 'SELECT * FROM sqlite_dbpage']).status === 0

test.each([
  ['the rows that are left', copyRows] as const,
  ...(canRecover ? [['.recover', recover] as const] : []),
])(
  '%s: restore accepts the database, and the server serves its records and takes new ones',
  async (_, recoverTo) => {
    for (let at = 0; at < 60; at++) {
      const record = { $type: collection, text: `note ${at} ${'x'.repeat(600)}` }
      const input = { repo: alice.did, collection, rkey: `note-${at}`, record }
      expect((await server.post('com.core.repo.createRecord', input, alice)).status).toBe(200)
    }
    await server.running.close()
    const { dataDir } = server.config
    const path = join(dataDir, databaseName)
    await damageLeaf(path)

    const to = join(folder, 'recovered.sqlite')
    recoverTo(path, to)
    const db = new DatabaseSync(to)
    db.exec('DROP TABLE IF EXISTS lost_and_found')
    expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([])
    db.close()
    const args = ['--no-warnings', command, to, '--data-dir', dataDir]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })

    await server.open()
    const { body } = await server.get('com.core.repo.listRecords', {
      repo: alice.did,
      collection,
      limit: '100',
    })
    expect(body.records.length).toBeGreaterThan(50)
    const session = await server.signIn(alice)
    for (const rkey of ['note-0', 'new']) {
      const input = {
        repo: alice.did,
        collection,
        rkey,
        record: { $type: collection, text: 'written later' },
      }
      expect((await server.post('com.core.repo.putRecord', input, session.body)).status).toBe(200)
    }
    // What the check of each backup says of a repository that lost a record.
    const damaged = await damagedRepositories(server.running.services.store)
    expect(damaged).toEqual(body.records.length === 60 ? [] : [expect.stringContaining('note-5 is missing')])
  },
)

/** Flips a bit in a page with records. */
async function damageLeaf(path: string): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true })
  const page = db
    .prepare("SELECT pageno FROM dbstat WHERE name = 'records' AND pagetype = 'leaf' ORDER BY path DESC")
    .get()
  db.close()
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  const at = Number(page?.pageno) * pageBytes - 9
  await file.read(byte, 0, 1, at)
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
  await file.close()
}
