/** A database of an earlier version opens, and has the tables of a new one afterwards. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { schema } from '../../../server/schema/schema.ts'
import { Database } from '../../../server/store/database.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pds-upgrade-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const now = () => new Date('2030-01-01')
const open = (as = schema) => Database.open({ directory, schema: as, now })

/** Leads from the newest version back to the first one. */
const first = `
  DROP TABLE storage_days;
  DROP TABLE account_storage_days;
  DROP TABLE session_uses;
  CREATE TABLE session_writes (
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    access TEXT NOT NULL,
    day TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (did, access, day)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO actors (id, did, inactive) VALUES (1, 'did:plc:a', 0);
  INSERT INTO accounts (id, did, handle, is_minted, created_at, signing_key, signing_key_did)
    VALUES (1, 'did:plc:a', 'a.test', 1, '2029-01-01T00:00:00.000Z', x'00', 'did:key:z');
  INSERT INTO session_writes VALUES ('did:plc:a', 'app password phone', '2029-12-31', 7);
`

/** The statements that created tables, indexes and triggers, without comments and spaces. */
function tablesOf(store: Database): string[] {
  return store
    .all<{ sql: string }>('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL')
    .map(({ sql }) => sql.replace(/--.*$/gm, '').replace(/\s+/g, ''))
    .sort()
}

test('a database of the first version gets all tables, and keeps the counts of writes', async () => {
  await (await open({ sql: `${schema.sql}; ${first}`, upgrades: [] })).close()
  const upgraded = await open()
  const tables = tablesOf(upgraded)
  expect(upgraded.all('SELECT * FROM session_uses')).toEqual([
    { did: 'did:plc:a', access: 'app password phone', day: '2029-12-31', reads: 0, writes: 7, refusals: 0 },
  ])
  await upgraded.close()
  rmSync(directory, { recursive: true })
  const fresh = await open()
  expect(tables).toEqual(tablesOf(fresh))
  await fresh.close()
})
