/** Databases beyond 2 and 4 GiB, where offsets have more than 31 and 32 bits. Their files are sparse. */

import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import { checksumsName, databaseName } from '../../../../server/store/files/layout.ts'
import { pageBytes } from '../../../../server/store/pages/page.ts'
import { PageChecksums } from '../../../../server/store/pages/page-checksums.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const schema = schemaOf('CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes BLOB) STRICT')
/** Offset of the number of pages in the header of an SQLite file: 32 bits, big-endian. */
const pageCountAt = 28

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pds-large-'))
})
afterEach(() => rm(directory, { recursive: true }))

const openStore = () => Database.open({ directory, schema, now: () => new Date(0) })

/** Lets a database have as many pages; no table uses the new ones. */
async function grow(pages: number): Promise<void> {
  const path = join(directory, databaseName)
  const file = await open(path, 'r+')
  const first = Buffer.alloc(pageBytes)
  await file.read(first, 0, pageBytes, 0)
  first.writeUInt32BE(pages, pageCountAt)
  await file.write(first, 0, pageBytes, 0)
  await file.truncate(pages * pageBytes)
  await file.close()
  const checksumsPath = join(directory, checksumsName)
  const checksums = PageChecksums.decode(checksumsPath, await readFile(checksumsPath))
  checksums.set(1, first)
  await writeFile(checksumsPath, checksums.encode())
}

test.each([1, 2, 4, 6])(
  'rows before and after %i GiB are kept by checkpoints and a start',
  async (gibibytes) => {
    await (await openStore()).close()
    const edge = (gibibytes * 1024 ** 3) / pageBytes
    await grow(edge - 10)
    const rows = Array.from({ length: 40 }, (_, id) => ({ id, bytes: new Uint8Array(4000).fill(id) }))
    const insert = (db: Database, some: typeof rows) =>
      db.transact((tx) => {
        for (const { id, bytes } of some) tx.run('INSERT INTO rows VALUES (?, ?)', [id, bytes])
      })
    const read = (db: Database) => db.all('SELECT id, bytes FROM rows ORDER BY id')

    const store = await openStore()
    await insert(store, rows.slice(0, 20))
    await store.checkpoint()
    await insert(store, rows.slice(20))
    expect(read(store)).toEqual(rows)
    await store.close()

    const next = await openStore()
    expect(read(next)).toEqual(rows)
    expect(next.pageCount).toBeGreaterThan(edge + 20)
    expect(next.isPageIntact(next.pageCount)).toBe(true)
    await next.close()
  },
)
