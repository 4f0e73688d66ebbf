/** A flipped bit in each kind of page: what a server reads of the data, what it reports, and what salvage keeps. */
import { serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SalvagePlan } from '../../../../server/store/backups/salvage.ts'
import type { Database } from '../../../../server/store/database.ts'
import { StoreDamaged } from '../../../../server/store/files/store-errors.ts'
import { dataOf, flipped, pageBytes, path } from '../../../support/store/damaged-data.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { type PageKind, pageKinds, pagesByKind } from '../../../support/store/page-kinds.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const schema = schemaOf(`
  CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL, body BLOB) STRICT;
  CREATE INDEX entry_name ON entry (name, version)`)
const entries = 400
const nameOf = (id: number) => `${String(id).padStart(6, '0')} ${'name '.repeat(80)}`
/** Every 40th entry fills pages of its own. */
const bodyOf = (id: number) => (id % 40 === 0 ? new Uint8Array(9000).fill(id) : null)

let minute = 0
const now = () => new Date(Date.UTC(2026, 0, 1, 0, minute++))
const { open, backUp, salvage } = dataOf(schema, now)

/** By all ways to the data. */
const queries = [
  'SELECT id, name, version, body FROM entry NOT INDEXED ORDER BY id',
  'SELECT name, version FROM entry INDEXED BY entry_name ORDER BY name, version',
  'SELECT seq, format FROM store_meta',
  'SELECT name, sql FROM sqlite_schema',
]

interface Found {
  /** A digest of the rows of each query: a difference in all of them takes minutes to print. */
  readonly rows: (string | undefined)[]
  readonly damages: StoreDamaged[]
}

const digest = (rows: unknown[]) => `${rows.length} rows ${crc32(serialize(rows))}`

/** Opens the store and runs the queries. A query that fails has no rows. */
async function read(disk: FaultyDisk): Promise<Found> {
  const damages: StoreDamaged[] = []
  const catchDamage = (error: unknown) => {
    if (!(error instanceof StoreDamaged)) throw error
    damages.push(error)
    return undefined
  }
  const db = await open(disk).catch(catchDamage)
  const rows = queries.map((sql) => {
    try {
      return db && digest(db.all(sql))
    } catch (error) {
      return catchDamage(error)
    }
  })
  disk.kill()
  await db?.close()
  disk.restart()
  return { rows, damages }
}

/** Changes every page that is in use: a backup from before has none of them. */
async function update(db: Database, version: number): Promise<void> {
  await db.transact((tx) => {
    const body = new Uint8Array(9000).fill(version)
    tx.run('UPDATE entry SET version = ?, body = CASE WHEN body IS NULL THEN NULL ELSE ? END', [
      version,
      body,
    ])
    tx.run('CREATE TABLE IF NOT EXISTS later (id INTEGER)')
    for (let id = 1000 * version; id < 1000 * version + 20; id++)
      tx.run('INSERT INTO entry VALUES (?, ?, ?, NULL)', [id, nameOf(id), version])
  })
}

/** A database with pages of each kind, a backup of it, and a transaction in the journal. */
let disk: FaultyDisk
let intact: Found
let pages: Map<PageKind, number[]>
/** As `disk`, but all pages have changed since the backup, and no journal reaches back to it. */
let changed: FaultyDisk
let changedPages: Map<PageKind, number[]>
let changedIntact: Found
let backedUp: Found

beforeAll(async () => {
  disk = new FaultyDisk()
  const db = await open(disk)
  for (let first = 1; first <= entries; first += 50) {
    await db.transact((tx) => {
      for (let id = first; id < first + 50; id++)
        tx.run('INSERT INTO entry VALUES (?, ?, 0, ?)', [id, nameOf(id), bodyOf(id)])
    })
  }
  await db.transact((tx) => tx.run('DELETE FROM entry WHERE id > 350'))
  await db.checkpoint()
  await backUp(db, disk)
  await db.transact((tx) => tx.run('INSERT INTO entry VALUES (1000, ?, 1, NULL)', [nameOf(1000)]))
  disk.kill()
  await db.close()
  disk.restart()
  pages = await pagesByKind(disk.content(path))
  intact = await read(disk.clone())

  changed = disk.clone()
  const later = await open(changed)
  await later.transact((tx) => tx.run('DELETE FROM entry WHERE id = 1000'))
  backedUp = { rows: queries.map((sql) => digest(later.all(sql))), damages: [] }
  await update(later, 1)
  await later.checkpoint()
  await update(later, 2)
  await later.checkpoint()
  changedIntact = { rows: queries.map((sql) => digest(later.all(sql))), damages: [] }
  await later.close()
  changedPages = await pagesByKind(changed.content(path))
}, 60_000)

/** The first and last bytes of a page, its header, and others. */
const offsets = [0, 3, 7, 99, 108, 700, 2047, pageBytes - 1]

async function salvaged(copy: FaultyDisk): Promise<{ plan: SalvagePlan; found: Found }> {
  const plan = await salvage(copy)
  return { plan, found: await read(copy) }
}

test('the databases have pages of each kind', () => {
  for (const kind of pageKinds) {
    expect(pages.get(kind)?.length, kind).toBeGreaterThan(0)
    expect(changedPages.get(kind)?.length, kind).toBeGreaterThan(0)
  }
  expect(intact.damages).toEqual([])
  expect(intact.rows[0]).toMatch('351 rows')
})

describe.each(pageKinds)('a flipped bit in a page: %s', { timeout: 120_000 }, (kind) => {
  /** At most six pages. */
  const some = (all: ReadonlyMap<PageKind, number[]>) => {
    const numbers = all.get(kind) ?? []
    return numbers.filter((_, index) => index % Math.ceil(numbers.length / 6) === 0)
  }

  test('is never read as data, and the report names the file, the page and what to do', async () => {
    for (const number of some(pages)) {
      for (const offset of offsets) {
        const { rows, damages } = await read(flipped(disk, (number - 1) * pageBytes + offset))
        const where = `page ${number}, byte ${offset}`
        for (const [query, found] of rows.entries())
          if (found) expect(found, where).toEqual(intact.rows[query])
        if (!kind.startsWith('free')) expect(damages.length, where).toBeGreaterThan(0)
        for (const damage of damages) {
          expect(damage.file, where).toBe(path)
          expect(damage.message, where).toMatch(
            number === 1 && offset < 18 ? /SQLite file|damaged page/ : `has a damaged page (${number})`,
          )
          expect(damage.message, where).toContain('npm run restore -- --salvage')
        }
      }
    }
  })

  test('loses nothing if a backup has the page', async () => {
    for (const number of some(pages)) {
      const copy = flipped(disk, (number - 1) * pageBytes + 2047)
      await read(copy)
      const { plan, found } = await salvaged(copy)
      expect(found.rows, `page ${number}`).toEqual([
        ...intact.rows.slice(0, 2),
        expect.anything(),
        intact.rows[3],
      ])
      expect(plan).toMatchObject({
        from: 'database',
        damaged: ['pds.sqlite'],
        lostTransactions: 0,
        isExact: true,
      })
    }
  })

  test('opens the newest backup, with the loss stated, if no backup has the page', async () => {
    for (const number of some(changedPages)) {
      const copy = flipped(changed, (number - 1) * pageBytes + 2047)
      const { rows } = await read(copy)
      for (const [query, found] of rows.entries())
        if (found) expect(found, `page ${number}`).toEqual(changedIntact.rows[query])
      const { plan, found } = await salvaged(copy)
      const where = `page ${number}`
      if (kind === 'free') {
        expect(plan, where).toMatchObject({ from: 'database', lostTransactions: 0, isExact: true })
        expect(found.rows.slice(0, 2), where).toEqual(changedIntact.rows.slice(0, 2))
        continue
      }
      expect(plan, where).toMatchObject({ from: 'backup', lostTransactions: 4, isExact: true })
      expect(plan.damaged, where).toContain('pds.sqlite')
      expect(found.rows.slice(0, 2), where).toEqual(backedUp.rows.slice(0, 2))
    }
  })
})

test('a page that fails its check leaves reads and writes of other pages working', async () => {
  const leaf = changedPages.get('table leaf')?.at(-1) ?? 0
  const copy = flipped(changed, (leaf - 1) * pageBytes + 2047)
  const db = await open(copy)
  expect(() => db.all(queries[0] ?? '')).toThrow(StoreDamaged)
  expect(db.get('SELECT version FROM entry WHERE id = 1')).toEqual({ version: 2 })
  await expect(
    db.transact((tx) => {
      tx.run('UPDATE entry SET version = 3 WHERE id = 1')
      tx.run('UPDATE entry SET version = 3')
    }),
  ).rejects.toBeInstanceOf(StoreDamaged)
  expect(db.get('SELECT version FROM entry WHERE id = 1')).toEqual({ version: 2 })
  await db.transact((tx) => tx.run('UPDATE entry SET version = 4 WHERE id = 1'))
  await db.checkpoint()
  expect((await backUp(db, copy)).isPartial).toBe(true)
  await db.close()
  const again = await open(copy)
  expect(again.get('SELECT version FROM entry WHERE id = 1')).toEqual({ version: 4 })
  await again.close()
})

test('a damaged free page is replaced when it is used', async () => {
  const numbers = changedPages.get('free') ?? []
  // The first one lists the others.
  const trunk = changed.content(path).readUInt32BE(32)
  for (const number of numbers.filter((number) => number !== trunk)) {
    const copy = flipped(changed, (number - 1) * pageBytes + 2047)
    const db = await open(copy)
    await db.transact((tx) =>
      tx.run('INSERT INTO entry VALUES (5000, ?, 0, ?)', ['full', new Uint8Array(200_000)]),
    )
    await db.checkpoint()
    await db.close()
    const { damages } = await read(copy)
    expect(damages, `page ${number}`).toEqual([])
  }
})

test('a damaged free page stops no backup, and the next checkpoint replaces it', async () => {
  for (const number of changedPages.get('free') ?? []) {
    const copy = flipped(changed, (number - 1) * pageBytes + 2047)
    const db = await open(copy)
    expect((await backUp(db, copy)).isPartial).toBe(false)
    expect(db.isPageIntact(number), `page ${number}`).toBe(true)
    expect(db.damagedPages).toEqual([])
    await db.transact((tx) => tx.run('UPDATE entry SET version = 9 WHERE id = 1'))
    await db.checkpoint()
    await db.close()
    expect(copy.content(path).subarray((number - 1) * pageBytes, number * pageBytes)).toEqual(
      changed.content(path).subarray((number - 1) * pageBytes, number * pageBytes),
    )
  }
})

test('a damaged list of free pages makes a backup partial: its pages are not known to be free', async () => {
  const [number = 0] = changedPages.get('free list') ?? []
  const copy = flipped(changed, (number - 1) * pageBytes + 2047)
  const db = await open(copy)
  expect(db.isPageIntact(number)).toBe(false)
  expect((await backUp(db, copy)).isPartial).toBe(true)
  await db.close()
})
