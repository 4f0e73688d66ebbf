/** SQLite looks up the rows of a request by keys, not among all records of an account. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import initSqlJs from 'sql.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as fanOuts from '../../../server/app/tables/fan-outs.ts'
import * as hidden from '../../../server/app/tables/hidden.ts'
import { ancestors } from '../../../server/app/tables/post-links.ts'
import { newestPacks } from '../../../server/app/tables/starter-packs.ts'
import { followCounts } from '../../../server/federation/tables/graph.ts'
import * as interest from '../../../server/federation/tables/remote-interest.ts'
import { oldestFeedItems } from '../../../server/federation/tables/remote-records.ts'
import * as sessionUses from '../../../server/identity/tables/session-uses.ts'
import * as storageDays from '../../../server/operation/tables/storage-days.ts'
import * as blobs from '../../../server/repository/tables/blobs.ts'
import * as records from '../../../server/repository/tables/records.ts'
import type { Writer } from '../../../server/store/database.ts'
import { writeEmptyStore } from '../../support/store/empty-store.ts'

let dir: string
let explain: (sql: string) => string[]

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pds-test-'))
  await writeEmptyStore(dir)
  const { Database: SqlJs } = await initSqlJs()
  const sqlite = new SqlJs(await readFile(join(dir, 'pds.sqlite')))
  explain = (sql) => (sqlite.exec(`EXPLAIN QUERY PLAN ${sql}`)[0]?.values ?? []).map((row) => String(row[3]))
})
afterAll(() => rm(dir, { recursive: true }))

/** Returns the plan of each statement that `read` runs. */
function plansOf(read: (tx: Writer) => unknown): string[] {
  const statements: string[] = []
  const note = (sql: string) => {
    statements.push(sql)
  }
  read({
    get: note as Writer['get'],
    all: (sql) => {
      note(sql)
      return []
    },
    run: (sql) => {
      note(sql)
      return 0
    },
  })
  expect(statements).not.toEqual([])
  return statements.flatMap(explain)
}

const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const cid = 'bafkreigaknpexyvxt76zgkitavbwx6ejgfheup5oybpm77f3pxzrvwpfdi'
const key = { account: 1, cid: new Uint8Array() }
const place = { id: 1, collection: 1, rkey: 'self', cid: new Uint8Array() }

test.each<[string, (tx: Writer) => unknown]>([
  ['an uploaded blob', (tx) => blobs.upload(tx, did, { cid, mimeType: 'image/png', size: 1 }, 0)],
  ['a blob', (tx) => blobs.findReferenced(tx, did, cid)],
  ['another record with a blob', (tx) => blobs.isNamed(tx, did, cid, 1)],
  ['the blobs of an account', (tx) => blobs.page(tx, did, { after: undefined, limit: 1 })],
  ['missing blobs', (tx) => blobs.missingPage(tx, did, undefined, 1)],
  ['the size of all blobs', (tx) => blobs.countedPage(tx, did, undefined, 1)],
  ['unused blobs', (tx) => blobs.keptPage(tx, undefined, 1)],
  ['an unused blob', (tx) => blobs.removeUnusedRow(tx, key)],
  ['a blob without a reference', (tx) => blobs.removeUnused(tx, did, cid)],
  ['the blobs of an import', (tx) => blobs.referAll(tx, did)],
  ['a muted thread', (tx) => hidden.refreshThread(tx, did, { did, rkey: 'self' })],
  ['starter packs', (tx) => newestPacks(tx, 'app.example.graph.starterpack', { limit: 1 })],
  ['an unfinished fan-out', (tx) => fanOuts.first(tx)],
  ['the posts above a reply', (tx) => ancestors(tx, 1, 4)],
  ['a list that is used', (tx) => interest.isUsedList(tx, { did, rkey: 'self' })],
  ['a user of the lists of an actor', (tx) => interest.hasUsedList(tx, did)],
  ['records to evict', (tx) => oldestFeedItems(tx, 1, 1)],
  ['the blobs of a page of records', (tx) => records.blobsBetween(tx, did, undefined, place)],
])('to find %s, no more records are read than needed', (_, read) => {
  for (const step of plansOf(read)) {
    expect(step).not.toMatch(/^SCAN (r|records)\b/)
    expect(step).not.toMatch(/records_key \(actor=\?\)$/)
  }
})

test.each<[string, (tx: Writer) => unknown]>([
  ['the counts of followers and follows', (tx) => followCounts(tx, 1)],
  ['a list that is used', (tx) => interest.isUsedList(tx, { did, rkey: 'self' })],
  ['the posts above a reply', (tx) => ancestors(tx, 1, 4)],
])('%s: no table is scanned', (_, read) => {
  for (const step of plansOf(read)) expect(step).not.toMatch(/^SCAN (?!CONSTANT ROW|above)/)
})

test('only the days that are too old are read to delete them', () => {
  const plans = plansOf((tx) => storageDays.removeBefore(tx, '2030-01-01'))
  const ofDays = plans.filter((step) => /storage_days|\bs\b/.test(step))
  expect(ofDays).toEqual([
    'SEARCH storage_days USING PRIMARY KEY (day<?)',
    'SEARCH account_storage_days USING PRIMARY KEY (account=? AND day=?)',
    'SEARCH s USING PRIMARY KEY (account=? AND day<?)',
  ])
})

test('only the counts of one session or app password are read, of the days that it has', () => {
  expect(plansOf((tx) => sessionUses.ofAccess(tx, did, 'app password Phone', '2030-01-01'))).toEqual([
    'SEARCH session_uses USING PRIMARY KEY (did=? AND access=? AND day>?)',
  ])
})

test('sums of blobs read them once, and nothing else', () => {
  expect(plansOf((tx) => blobs.totalBytes(tx))).toEqual(['SCAN blobs'])
  const plan = plansOf((tx) => blobs.bytesOf(tx, did))
  expect(plan).toContain('SEARCH blobs USING PRIMARY KEY (account=?)')
  expect(plan.filter((step) => /^SCAN/.test(step))).toEqual([])
})
