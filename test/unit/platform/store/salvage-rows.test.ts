/** A damaged page that no backup has: salvage keeps the rows of all other pages. */
import { beforeAll, expect, test } from 'vitest'
import type { SalvagePlan } from '../../../../server/platform/store/backups/salvage.ts'
import type { Database } from '../../../../server/platform/store/database.ts'
import { schemaOf } from '../../../support/schema-of.ts'
import { dataOf, flipped, pageBytes, path } from './damaged-data.ts'
import { FaultyDisk } from './faulty-disk.ts'
import { type PageKind, pagesByKind } from './page-kinds.ts'

const now = () => new Date(Date.UTC(2026, 0, 1))

/** Tables by rowid and by keys, with long and short rows, that refer to others and of which indexes have all columns. */
const schema = {
  ...schemaOf(`
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, hidden INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, person INTEGER NOT NULL REFERENCES person (id), text TEXT NOT NULL) STRICT;
    CREATE INDEX note_person ON note (person);
    CREATE TABLE block (person INTEGER NOT NULL REFERENCES person (id), cid BLOB NOT NULL, bytes BLOB NOT NULL,
      PRIMARY KEY (person, cid)) STRICT, WITHOUT ROWID;
    CREATE TABLE link (note INTEGER NOT NULL REFERENCES note (id), target TEXT NOT NULL, PRIMARY KEY (note, target)) STRICT, WITHOUT ROWID;
    CREATE INDEX link_target ON link (target);
    CREATE TABLE secret (name TEXT PRIMARY KEY, value TEXT) STRICT;
    CREATE TABLE total (notes INTEGER NOT NULL) STRICT;
    CREATE TRIGGER note_is_inserted AFTER INSERT ON note BEGIN UPDATE total SET notes = notes + 1; END;
    CREATE TRIGGER note_is_deleted AFTER DELETE ON note BEGIN UPDATE total SET notes = notes - 1; END;
    INSERT INTO total VALUES (0)`),
  derived: 'DELETE FROM total; INSERT INTO total SELECT count(*) FROM note',
}
const tables = ['person', 'note', 'block', 'link', 'secret'] as const

const { open, salvage } = dataOf(schema, now)

type Rows = ReadonlyMap<string, ReadonlySet<string>>
const rowsOf = (db: Database): Rows =>
  new Map(
    tables.map((table) => [
      table,
      new Set(db.all(`SELECT * FROM ${table}`).map((row) => JSON.stringify(row))),
    ]),
  )

let disk: FaultyDisk
let kinds: Map<PageKind, number[]>
let intact: Rows
beforeAll(async () => {
  disk = new FaultyDisk()
  const db = await open(disk)
  await db.transact((tx) => {
    for (let id = 1; id <= 300; id++) {
      tx.run('INSERT INTO person (id, name) VALUES (?, ?)', [id, `person ${id} ${'x'.repeat(60)}`])
      tx.run('INSERT INTO note VALUES (?, ?, ?)', [
        id,
        id,
        `note ${id} ${'y'.repeat(id % 50 === 0 ? 9000 : 400)}`,
      ])
      const bytes = new Uint8Array(id % 30 === 0 ? 9000 : 700).fill(id)
      tx.run('INSERT INTO block VALUES (?, ?, ?)', [id, new Uint8Array(36).fill(id), bytes])
      tx.run('INSERT INTO link VALUES (?, ?)', [id, `target ${id} ${'z'.repeat(500)}`])
      tx.run('INSERT INTO secret VALUES (?, ?)', [`secret ${id}`, 's'.repeat(200)])
    }
    tx.run('DELETE FROM link WHERE note > 290')
    tx.run('DELETE FROM note WHERE id > 290')
  })
  intact = rowsOf(db)
  await db.close()
  kinds = await pagesByKind(disk.content(path))
})

const damaged = (...pages: number[]) => flipped(disk, ...pages.map((page) => page * pageBytes - 7))

/** Opens the salvaged data, compares each row with the one before the damage, and what is missing with the plan. */
async function check(copy: FaultyDisk, plan: SalvagePlan, where: string): Promise<Map<string, number>> {
  const db = await open(copy)
  const missing = new Map<string, number>()
  for (const [table, rows] of rowsOf(db)) {
    const before = intact.get(table) ?? new Set()
    expect(
      [...rows].filter((row) => !before.has(row)),
      `${where}: ${table}`,
    ).toEqual([])
    if (rows.size < before.size) missing.set(table, before.size - rows.size)
  }
  const said = plan.lostRows.filter(({ table, rows }) => table !== 'total' && rows !== undefined)
  for (const { table, rows } of said) expect(missing.get(table) ?? 0, `${where}: ${table}`).toBe(rows)
  for (const table of missing.keys())
    expect(
      plan.lostRows.map((each) => each.table),
      where,
    ).toContain(table)
  expect(db.all('PRAGMA integrity_check'), where).toEqual([{ integrity_check: 'ok' }])
  expect(db.all('PRAGMA foreign_key_check'), where).toEqual([])
  const { notes, total } = db.get<{ notes: number; total: number }>(
    'SELECT (SELECT count(*) FROM note) AS notes, (SELECT notes FROM total) AS total',
  ) ?? { notes: 0, total: 1 }
  expect(total, where).toBe(notes)
  const added = await db.transact((tx) =>
    tx.get<{ id: number }>(
      "INSERT INTO note (person, text) SELECT id, 'new' FROM person LIMIT 1 RETURNING id",
    ),
  )
  expect(added?.id, where).toBeGreaterThan(300)
  await db.close()
  return missing
}

/** The most rows that one page has, with rows that refer to them. */
const mostLost: Partial<Record<PageKind, number>> = {
  'table leaf': 20,
  'index interior': 5,
  'index leaf': 5,
  overflow: 2,
}

test.each<PageKind>([
  ...([
    'table interior',
    'table leaf',
    'index interior',
    'index leaf',
    'overflow',
    'free list',
    'free',
  ] as const),
])(
  'of a page (%s), only its rows and those that refer to them are lost',
  { timeout: 60_000 },
  async (kind) => {
    const pages = kinds.get(kind) ?? []
    expect(pages.length).toBeGreaterThan(0)
    for (const page of pages.filter((_, at) => at % Math.ceil(pages.length / 10) === 0)) {
      const copy = damaged(page)
      const missing = await check(copy, await salvage(copy), `page ${page}`)
      const sum = [...missing.values()].reduce((all, count) => all + count, 0)
      expect(sum, `page ${page}`).toBeLessThanOrEqual(mostLost[kind] ?? 0)
    }
  },
)

test('many damaged pages lose no row of the others', { timeout: 60_000 }, async () => {
  for (let step = 7; step < 12; step++) {
    const copy = disk.clone()
    const count = copy.content(path).length / pageBytes
    const pages = Array.from({ length: Math.floor((count - 14) / step) }, (_, at) => 14 + at * step)
    const damagedCopy = damaged(...pages)
    const missing = await check(damagedCopy, await salvage(damagedCopy), `every ${step}th`)
    const sum = [...missing.values()].reduce((all, lost) => all + lost, 0)
    expect(sum).toBeGreaterThan(0)
  }
})

test('transactions after the checkpoint are kept up to the first that needs a lost page', async () => {
  const copy = disk.clone()
  const db = await open(copy)
  await db.transact((tx) => tx.run("INSERT INTO secret VALUES ('a new one', 'kept')"))
  await db.transact((tx) => tx.run('UPDATE person SET hidden = hidden + 1 WHERE id = 1'))
  await db.transact((tx) => tx.run("INSERT INTO secret VALUES ('a newer one', 'lost')"))
  copy.kill()
  await db.close()
  copy.restart()
  const content = copy.content(path)
  const page =
    kinds
      .get('table leaf')
      ?.find((each) => content.subarray((each - 1) * pageBytes, each * pageBytes).includes('person 1 xxx')) ??
    0
  content[page * pageBytes - 7] = (content[page * pageBytes - 7] ?? 0) ^ 1
  const plan = await salvage(copy)
  expect(plan).toMatchObject({ from: 'rows', lostTransactions: 2, isExact: true })
  const salvaged = await open(copy)
  expect(salvaged.all("SELECT value FROM secret WHERE name LIKE 'a new%'")).toEqual([{ value: 'kept' }])
  await salvaged.close()
})
