/** Deletion of accounts, compared with the schema: these tests fail for a new table that deletion leaves out. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import initSqlJs from 'sql.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manyRows } from '../../../../server/store/tables/account-deletions.ts'
import { writeEmptyStore } from '../../../support/store/empty-store.ts'

interface ForeignKey {
  readonly table: string
  readonly column: string
  readonly target: string
  readonly targetColumn: string
  readonly onDelete: string
}

let dir: string
let keys: ForeignKey[]
let columns: { table: string; column: string }[]

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pds-test-'))
  await writeEmptyStore(dir)
  const { Database: SqlJs } = await initSqlJs()
  const sqlite = new SqlJs(await readFile(join(dir, 'pds.sqlite')))
  const all = (sql: string) => (sqlite.exec(sql)[0]?.values ?? []).map((row) => row.map(String))
  const tables = "sqlite_schema m JOIN pragma_table_list(m.name) t ON t.schema = 'main' AND m.type = 'table'"
  keys = all(
    `SELECT m.name, f."from", f."table", f."to", f.on_delete FROM ${tables}, pragma_foreign_key_list(m.name) f`,
  ).map(([table = '', column = '', target = '', targetColumn = '', onDelete = '']) => ({
    ...{ table, column, target, targetColumn, onDelete },
  }))
  columns = all(`SELECT m.name, c.name FROM ${tables}, pragma_table_info(m.name) c`).map(
    ([table = '', column = '']) => ({ table, column }),
  )
})
afterAll(() => rm(dir, { recursive: true }))

/** Tables of one row, or a few, per account: they go with its row in `accounts`. */
const fewRows = [
  'repos',
  'reports',
  'seen_markers',
  'notification_kinds',
  'account_storage_days', // 90 days
  'moves', // its media wait in missing_media, which goes with it
]

test('deletion: every table that refers to an account by its number is deleted in parts, or has few rows', () => {
  const inParts = new Set<string>(manyRows.map(({ table }) => table))
  const byNumber = keys.filter(({ target, targetColumn }) => target === 'accounts' && targetColumn === 'id')
  expect(byNumber.length).toBeGreaterThan(10)
  const unknown = byNumber.filter(({ table }) => !inParts.has(table) && !fewRows.includes(table))
  expect(unknown).toEqual([])
  expect(byNumber.filter(({ onDelete }) => onDelete !== 'CASCADE')).toEqual([])
})

test('deletion: tables that are deleted in parts have an index that begins with the column', async () => {
  for (const { table, column } of manyRows) {
    expect(columns, `${table}.${column}`).toContainEqual({ table, column })
  }
})

/** Columns with the DID of an account that no foreign key covers. */
const otherDids: Readonly<Record<string, string>> = {
  'accounts.did': 'its own row',
  'actors.did': 'stays while records of others refer to it, else a trigger deletes it',
  'reserved_keys.did': 'keys of accounts that are to be imported, deleted at their expiry',
  'reports.did': 'the subject of a report, which belongs to the account that made it',
  'imports.did': 'an import is discarded once its account is deleted',
  'bookmarks.did': 'the author of the post, in a row of another account',
  'events.did': 'removed by the deletion event',
  'event_removals.did': 'removes events from segments, deleted when that is done',
  'upstream_queue.did': 'events of other servers',
  'repository_queue.did': 'accounts of other servers',
  'remote_repositories.did': 'accounts of other servers',
  'remote_deletions.did': 'accounts of other servers',
  'wanted_records.did': 'accounts of other servers',
}

test('deletion: every column with a DID has a foreign key that deletes its rows, or a reason', () => {
  const covered = new Set(
    keys.filter(({ target }) => target === 'accounts').map(({ table, column }) => `${table}.${column}`),
  )
  const found = columns
    .filter(({ column }) => /^(did|subject_did|account_did)$/.test(column))
    .map(({ table, column }) => `${table}.${column}`)
    .filter((name) => !covered.has(name))
  expect(found.toSorted()).toEqual(Object.keys(otherDids).toSorted())
})
