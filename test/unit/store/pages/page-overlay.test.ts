/**
 * What sql.js's file system does with the object that it takes for the content of a file. `PageOverlay` relies on it: an update of
 * sql.js that does more must fail here.
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Files, ReadableFile } from '../../../../server/store/files/files.ts'
import { StoreDamaged, StoreUnavailable } from '../../../../server/store/files/store-errors.ts'
import { createSqlite, openPageFile } from '../../../../server/store/pages/database-file.ts'
import { type Pages, pageBytes } from '../../../../server/store/pages/page.ts'
import { PageChecksums } from '../../../../server/store/pages/page-checksums.ts'
import { PageFile } from '../../../../server/store/pages/page-file.ts'
import { PageOverlay } from '../../../../server/store/pages/page-overlay.ts'
import { Sqlite } from '../../../../server/store/pages/sqlite.ts'
import { bytesOf } from '../../../support/store/database-bytes.ts'

/** A file of any size: pages that were not written are zeros. */
class SparseFile {
  readonly pages = new Map<number, Uint8Array>()
  count = 0
  /** The next read fails. */
  failure: Error | undefined

  readonly files = {
    open: async (): Promise<ReadableFile> => ({
      size: () => this.count * pageBytes,
      readBlocking: (into, position) => {
        const { failure } = this
        this.failure = undefined
        if (failure) throw failure
        if (position >= this.count * pageBytes) return 0
        const page = this.pages.get(position / pageBytes + 1)
        if (page) into.set(page)
        else into.fill(0)
        return into.length
      },
      close: async () => {},
    }),
  } as unknown as Files

  /** Page 1. */
  get first(): DataView {
    return new DataView((this.pages.get(1) as Uint8Array).buffer)
  }

  put(pages: Pages): void {
    for (const [number, page] of pages) {
      this.pages.set(number, Uint8Array.from(page))
      this.count = Math.max(this.count, number)
    }
  }
}

/** Counts what sql.js reads and calls, and throws for all else. */
class WatchedOverlay extends PageOverlay {
  /** `buffer`: it compares that of new content with its own memory. */
  readonly calls = { length: 0, subarray: 0, set: 0, slice: 0, buffer: 0 }

  override source(refusal: unknown) {
    const { length } = super.source(refusal)
    const content = this.#watched(this)
    const source = this.#watched({ length, subarray: () => content, slice: () => content })
    return source as ReturnType<PageOverlay['source']>
  }

  #watched<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        if (!(name in this.calls)) throw new Error(`sql.js reads ${String(name)} of the content`)
        this.calls[name as keyof typeof this.calls]++
        const value = target[name as keyof T]
        return typeof value === 'function' ? value.bind(target) : value
      },
      set: (_, name) => {
        throw new Error(`sql.js writes ${String(name)} of the content`)
      },
      has: (_, name) => {
        throw new Error(`sql.js asks for ${String(name)} of the content`)
      },
    })
  }
}

let disk: SparseFile
let file: PageFile
let overlay: WatchedOverlay
let sqlite: Sqlite

beforeEach(async () => {
  disk = new SparseFile()
  const empty = await createSqlite()
  empty.exec('CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT, body BLOB)')
  const bytes = bytesOf(empty)
  empty.close()
  for (let at = 0; at < bytes.length; at += pageBytes)
    disk.put(new Map([[at / pageBytes + 1, bytes.subarray(at, at + pageBytes)]]))
  await open()
})
afterEach(() => sqlite.close())

async function open(checksums?: PageChecksums): Promise<void> {
  file = await PageFile.open(disk.files, '/data/pds.sqlite', checksums)
  overlay = new WatchedOverlay(file)
  sqlite = await Sqlite.open(overlay)
}

const add = (id: number, bytes = 10) =>
  sqlite.execute('INSERT INTO entry VALUES (?, ?, ?)', [id, `text ${id}`, new Uint8Array(bytes).fill(id)])
const count = () => sqlite.get<{ n: number }>('SELECT count(*) AS n FROM entry')?.n

/** Lets the database have pages that are in no tree and not free, which SQLite does not read. */
function setSize(pages: number): void {
  disk.first.setUint32(28, pages)
  disk.count = pages
}

/** Puts the changes in the file, as a checkpoint. */
function save(): void {
  disk.put(overlay.takeChanges())
}

test('reads and writes whole pages with subarray and set, and nothing else', () => {
  expect(count()).toBe(0)
  expect(overlay.calls.subarray).toBeGreaterThan(0)
  expect(overlay.calls.set).toBe(0)
  add(1)
  expect(overlay.calls.set).toBeGreaterThan(0)
  expect(overlay.changes).toBeGreaterThan(0)
})

test('grows beyond the file without asking for more space', async () => {
  const before = disk.count
  add(1, 1_000_000)
  save()
  expect(disk.count).toBeGreaterThan(before + 240)
  sqlite.close()
  await open()
  expect(sqlite.get('SELECT length(body) AS bytes FROM entry')).toEqual({ bytes: 1_000_000 })
  expect(sqlite.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
})

test('a rollback of more pages than the cache holds writes none', () => {
  add(1)
  save()
  sqlite.begin()
  for (let id = 2; id < 100; id++) add(id, 400_000)
  sqlite.execute('UPDATE entry SET body = zeroblob(500000)')
  sqlite.execute('DELETE FROM entry WHERE id > 50')
  sqlite.rollback()
  expect(overlay.changes).toBe(0)
  expect(count()).toBe(1)
  expect(sqlite.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
})

test('a commit of more pages than the cache holds, and the deletion of them all, leave a sound database', async () => {
  sqlite.begin()
  for (let id = 1; id < 100; id++) add(id, 400_000)
  sqlite.commit()
  expect(overlay.changes).toBeGreaterThan(9000)
  sqlite.execute('DELETE FROM entry')
  save()
  sqlite.close()
  await open()
  expect(count()).toBe(0)
  expect(sqlite.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
})

describe('a read that fails', () => {
  beforeEach(async () => {
    sqlite.begin()
    for (let id = 1; id <= 2000; id++) add(id, 100)
    sqlite.commit()
    save()
    sqlite.close()
    await open()
  })

  test('fails the query, not the next one', () => {
    disk.failure = new Error('EIO')
    expect(count).toThrow(StoreUnavailable)
    expect(count()).toBe(2000)
  })

  test('in a transaction rolls it back; later ones work', () => {
    sqlite.begin()
    add(3000)
    disk.failure = new Error('EIO')
    expect(() => sqlite.execute('UPDATE entry SET text = NULL')).toThrow(StoreUnavailable)
    sqlite.rollback()
    expect(count()).toBe(2000)
    expect(sqlite.get('SELECT count(*) AS n FROM entry WHERE text IS NULL')).toEqual({ n: 0 })
    sqlite.begin()
    add(3000)
    sqlite.commit()
    expect(count()).toBe(2001)
    expect(sqlite.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
  })

  test('at any read of a transaction leaves nothing of it', async () => {
    for (let reads = 0; ; reads++) {
      sqlite.close()
      await open()
      let left = reads
      const read = file.read.bind(file)
      file.read = (number) => {
        if (left-- === 0) throw new StoreDamaged(file.path, `has a damaged page (${number})`)
        return read(number)
      }
      let isDone = false
      try {
        sqlite.begin()
        add(3000, 9000)
        sqlite.execute("UPDATE entry SET text = 'changed' WHERE id % 50 = 0")
        sqlite.execute('DELETE FROM entry WHERE id > 1000')
        sqlite.commit()
        isDone = true
      } catch (error) {
        expect(error).toBeInstanceOf(StoreDamaged)
        sqlite.rollback()
      }
      if (isDone) {
        expect(reads).toBeGreaterThan(20)
        break
      }
      expect(overlay.changes).toBe(0)
      expect(count()).toBe(2000)
      add(3001)
      expect(count()).toBe(2001)
      expect(sqlite.get("SELECT count(*) AS n FROM entry WHERE text = 'changed'")).toEqual({ n: 0 })
    }
  })
})

describe.each([1, 2, 4, 12])('a database of %s GiB', (gibibytes) => {
  beforeEach(async () => {
    const pages = (gibibytes * 2 ** 30) / pageBytes
    add(1)
    save()
    setSize(pages)
    sqlite.close()
    await open()
  })

  test('is read and written beyond its end', async () => {
    const before = disk.count
    add(2, 1_000_000)
    expect([...overlay.takeChanges()].filter(([number]) => number > before).length).toBeGreaterThan(240)
  })

  test('keeps what is written there', async () => {
    add(2, 1_000_000)
    save()
    sqlite.close()
    await open()
    expect(
      sqlite.get('SELECT length(body) AS bytes, hex(substr(body, -1)) AS last FROM entry WHERE id = 2'),
    ).toEqual({ bytes: 1_000_000, last: '02' })
    expect(sqlite.size).toBe(disk.count * pageBytes)
  })
})

test('a backup reads the page at 1 GiB, which SQLite never writes', async () => {
  const lockPage = 2 ** 30 / pageBytes + 1
  add(1)
  save()
  setSize(lockPage - 1)
  sqlite.close()
  await open()
  add(2, 100_000)
  const pages = overlay.takeChanges()
  expect(pages.has(lockPage)).toBe(false)
  expect(pages.has(lockPage + 1)).toBe(true)
  disk.put(pages)
  // Only the pages of the end have checksums.
  file.checksums = PageChecksums.of(pages)
  expect(Buffer.from(file.read(lockPage)).equals(Buffer.alloc(pageBytes))).toBe(true)
  expect(() => file.read(lockPage - 1)).toThrow(StoreDamaged)
})

test('a database with pages of another size is refused', async () => {
  disk.first.setUint16(16, 1024)
  await expect(openPageFile(await PageFile.open(disk.files, 'file'), 'quick')).rejects.toThrow(
    'pages of 1024 bytes',
  )
})
