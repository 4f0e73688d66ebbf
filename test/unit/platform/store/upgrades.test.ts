/** Upgrades of data of the oldest version that is opened. */
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { Database } from '../../../../server/platform/store/database.ts'
import { nodeFiles } from '../../../../server/platform/store/files.ts'
import { load } from '../../../../server/platform/store/journal/recover.ts'
import { migrate } from '../../../../server/platform/store/migrate.ts'
import { createSqlite, schemaVersion } from '../../../../server/platform/store/pages/database-file.ts'
import { schema } from '../../../../server/platform/store/schema.ts'
import type { Sqlite } from '../../../../server/platform/store/sqlite.ts'
import { earlier, writeEarlierData } from '../../../support/earlier-data.ts'
import { FaultyDisk } from './faulty-disk.ts'

let directory: string
let sqlite: Sqlite
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pds-earlier-'))
  writeEarlierData(directory)
})
afterAll(() => rmSync(directory, { recursive: true }))
beforeEach(async () => {
  sqlite = (await load(nodeFiles, directory)).sqlite
})
afterEach(() => sqlite.close())

interface Entry {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

/** Tables, indexes and triggers by name: their statements without comments and spaces, and the columns of tables. */
function described(db: Sqlite): Map<string, unknown> {
  const entries = db.all<Entry>('SELECT type, name, sql FROM sqlite_schema ORDER BY name')
  return new Map(
    entries.map(({ type, name, sql }) => [
      `${type} ${name}`,
      {
        sql: sql?.replace(/--.*/g, '').replace(/["\s]/g, ''),
        columns: type === 'table' ? db.all(`PRAGMA table_info(${name})`) : [],
      },
    ]),
  )
}

test('an upgraded database has the schema of a new one', async () => {
  expect(schemaVersion(sqlite)).toBe(schema.oldest)
  await migrate(sqlite, schema)
  const fresh = await createSqlite()
  await migrate(fresh, schema)
  expect(schemaVersion(fresh)).toBe(schemaVersion(sqlite))
  const expected = described(fresh)
  expect(expected.size).toBeGreaterThan(100)
  expect(described(sqlite)).toEqual(expected)
  fresh.close()
})

test('accounts: the deletion date of an import becomes the date of its activation; one that the holder set stays', async () => {
  const at = '2030-01-01T00:00:00.000Z'
  const threeDaysLater = '2030-01-04T00:00:00.000Z'
  const later = '2030-01-04T00:00:00.001Z'
  for (const [name, isMinted, deleteAfter] of [
    ['imported', 0, threeDaysLater],
    ['leaving', 0, later],
    ['minted', 1, threeDaysLater],
  ] as const) {
    const did = `did:web:${name}.test`
    sqlite.execute('INSERT INTO actors (did) VALUES (?)', [did])
    sqlite.execute(
      `INSERT INTO accounts (id, did, handle, is_minted, created_at, deactivated_at, delete_after, signing_key, signing_key_did)
       SELECT id, did, ?, ?, ?, ?, ?, x'00', '' FROM actors WHERE did = ?`,
      [`${name}.test`, isMinted, at, at, deleteAfter, did],
    )
  }
  await migrate(sqlite, schema)
  expect(
    sqlite.all(
      `SELECT handle, delete_after AS deleteAfter, activate_by AS activateBy, stream_state AS state FROM accounts
       WHERE did LIKE 'did:web:%' ORDER BY id`,
    ),
  ).toEqual([
    { handle: 'imported.test', deleteAfter: null, activateBy: threeDaysLater, state: 0 },
    { handle: 'leaving.test', deleteAfter: later, activateBy: null, state: 1 },
    { handle: 'minted.test', deleteAfter: threeDaysLater, activateBy: null, state: 1 },
  ])
})

test('moves: writes stay stopped once the identity may name the other server', async () => {
  const move = (handle: string, direction: string, step: string) =>
    sqlite.execute(
      `INSERT INTO moves (account, direction, peer, handle, by_admin, step, started_at, updated_at)
       SELECT id, ?, 'https://other.test', handle, 0, ?, 0, 0 FROM accounts WHERE handle = ?`,
      [direction, step, handle],
    )
  move('alice.test', 'out', 'activation')
  move('bob.test', 'in', 'copy')
  await migrate(sqlite, schema)
  expect(
    sqlite.all(
      'SELECT identity_changed AS identityChanged, writes_stopped AS writesStopped FROM moves ORDER BY account',
    ),
  ).toEqual([
    { identityChanged: 1, writesStopped: 1 },
    { identityChanged: 0, writesStopped: 0 },
  ])
})

test('app passwords: those for everything but deleting overwrite nothing any more', async () => {
  const at = schema.upgrades.findIndex((statements) => statements.includes('limit:call'))
  await migrate(sqlite, { ...schema, upgrades: schema.upgrades.slice(0, at) })
  const before = 'limit:call repo:*?action=create&action=update blob:*/*'
  sqlite.execute('UPDATE app_passwords SET permissions = ?', [before])
  sqlite.execute('UPDATE sessions SET permissions = ? WHERE app_password_name IS NOT NULL', [before])
  await migrate(sqlite, schema)
  const kept = sqlite.all(
    'SELECT DISTINCT permissions FROM app_passwords UNION SELECT permissions FROM sessions WHERE permissions IS NOT NULL',
  )
  expect(kept).toEqual([{ permissions: 'limit:call repo:*?action=create blob:*/*' }])
})

test('seen markers in the future: what arrived before the upgrade stays read, later notifications are unread', async () => {
  const at = schema.upgrades.findIndex((statements) => statements.includes('given_at'))
  await migrate(sqlite, { ...schema, upgrades: schema.upgrades.slice(0, at) })
  const future = Date.parse('9999-12-31T23:59:59Z')
  const past = Date.parse('2020-01-01T00:00:00Z')
  for (const [handle, seenAt] of [
    ['alice.test', future],
    ['bob.test', past],
  ] as const) {
    sqlite.execute('INSERT OR REPLACE INTO seen_markers SELECT id, ? FROM accounts WHERE handle = ?', [
      seenAt,
      handle,
    ])
  }
  await migrate(sqlite, schema)
  const [{ last = 0 } = {}] = sqlite.all<{ last: number }>('SELECT last FROM notification_clock')
  expect(last).toBeGreaterThan(past)
  expect(
    sqlite.all(
      'SELECT handle, seen_at AS seenAt, given_at AS givenAt FROM seen_markers s JOIN accounts a ON a.id = s.account ORDER BY handle',
    ),
  ).toEqual([
    { handle: 'alice.test', seenAt: last, givenAt: future },
    { handle: 'bob.test', seenAt: past, givenAt: null },
  ])
  const unread = () =>
    sqlite.all(
      `SELECT handle, count(*) AS count FROM notifications n JOIN accounts a ON a.id = n.account
       JOIN seen_markers s ON s.account = n.account WHERE n.indexed_at > s.seen_at AND handle = 'alice.test' GROUP BY handle`,
    )
  expect(unread()).toEqual([])
  sqlite.execute(
    `UPDATE notifications SET indexed_at = ? WHERE id = (
       SELECT max(n.id) FROM notifications n JOIN accounts a ON a.id = n.account WHERE handle = 'alice.test')`,
    [last + 1],
  )
  expect(unread()).toEqual([{ handle: 'alice.test', count: 1 }])
})

test('a start that was killed during the upgrade is completed by the next one', async () => {
  const old = new FaultyDisk()
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const folder = join('/data', relative(directory, entry.parentPath))
    await old.files.makeDir(folder)
    if (entry.isFile()) old.put(join(folder, entry.name), await readFile(join(entry.parentPath, entry.name)))
  }
  const open = ({ files }: FaultyDisk) =>
    Database.open({ directory: '/data', schema, now: () => new Date(earlier.at), files })
  const upgraded = old.clone()
  const whole = await open(upgraded)
  const read = (db: Database) => db.all('SELECT rkey, indexed_at FROM records ORDER BY id')
  const rows = read(whole)
  expect(rows.length).toBeGreaterThan(5)
  await whole.close()
  const { operations } = upgraded
  expect(operations).toBeGreaterThan(20)
  // faults.test.ts tests each operation of an upgrade, with a smaller one.
  for (let at = 1; at <= operations; at += 5) {
    const disk = old.clone()
    disk.failAt(at, 'kill')
    await open(disk)
      .then((db) => {
        read(db)
        return db.close()
      })
      .catch(() => {})
    expect(disk.off).toBe(true)
    disk.restart()
    const db = await open(disk)
    expect(read(db)).toEqual(rows)
    expect(db.get('PRAGMA user_version')).toEqual({ user_version: schema.oldest + schema.upgrades.length })
    await db.close()
  }
})
