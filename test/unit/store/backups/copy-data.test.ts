/** Copies of a database that a server is writing. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyDatabase } from '../../../../server/store/backups/copy-data.ts'
import { Database } from '../../../../server/store/database.ts'
import { whileLocked } from '../../../../server/store/files/backup-lock.ts'
import { type Files, nodeFiles } from '../../../../server/store/files/files.ts'
import { StoreUnavailable } from '../../../../server/store/files/store-errors.ts'
import { openBytes } from '../../../support/store/database-bytes.ts'
import { type Fault, FaultyDisk, isPossible } from '../../../support/store/faulty-disk.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const schema = schemaOf('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT) STRICT')
const now = () => new Date('2026-01-01')
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pds-copy-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const open = (files = nodeFiles) => Database.open({ directory, schema, now, files })
const insert = (db: Database, text: string) =>
  db.transact((tx) => tx.run('INSERT INTO note (text) VALUES (?)', [text]))

/** Copies the data as another process does, and returns the texts in the copy. */
async function copied(files: Files = nodeFiles): Promise<string[]> {
  const file = join(directory, 'copy.zst')
  await copyDatabase(files, directory, file)
  return textsIn(await nodeFiles.read(file))
}

async function textsIn(content: Uint8Array): Promise<string[]> {
  const sqlite = await openBytes(content)
  const rows = sqlite.all<{ text: string }>('SELECT text FROM note ORDER BY id')
  sqlite.close()
  return rows.map(({ text }) => text)
}

/** Files of a process that calls `work` between reading the checksums and the pages. */
const besides = (work: () => Promise<void>): Files => ({
  ...nodeFiles,
  async open(path) {
    if (path === join(directory, 'pds.sqlite')) await work()
    return nodeFiles.open(path)
  },
})

test('a copy is made although a server that does not wait for it replaces the files again and again', async () => {
  const db = await open()
  const texts: string[] = []
  const files: Files = {
    ...nodeFiles,
    async list(dir) {
      if (dir === directory && texts.length < 12) {
        texts.push(`note ${texts.length}`)
        await insert(db, texts.at(-1) ?? '')
        await db.checkpoint()
      }
      return nodeFiles.list(dir)
    },
  }
  expect(await copied(files)).toEqual(texts)
  await db.close()
})

test('a copy is made although a checkpoint ends meanwhile and leaves journals of the same names', async () => {
  const [begun, mayGoOn, ended, mayRemove] = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const db = await open({
    ...nodeFiles,
    async rename(from, to) {
      if (to.endsWith('pds.checkpoint')) {
        begun?.resolve()
        await mayGoOn?.promise
      }
      await nodeFiles.rename(from, to)
    },
    async remove(path) {
      if (path.endsWith('.journal')) {
        ended?.resolve()
        await mayRemove?.promise
      }
      await nodeFiles.remove(path)
    },
  })
  await insert(db, 'a')
  const checkpoint = db.checkpoint()
  await begun?.promise
  let reads = 0
  const texts = await copied(
    besides(async () => {
      reads++
      mayGoOn?.resolve()
      await ended?.promise
    }),
  )
  expect([texts, reads]).toEqual([['a'], 2])
  mayRemove?.resolve()
  await checkpoint
  await db.close()
})

test('the next checkpoint waits for the backup of another process, and transactions go on', async () => {
  const db = await open()
  await insert(db, 'before')
  const ends: string[] = []
  let checkpoint: Promise<unknown> | undefined
  const beside = besides(async () => {
    checkpoint ??= db.checkpoint().then(() => ends.push('checkpoint'))
    for (let i = 0; i < 20; i++) await insert(db, `note ${i}`)
  })
  await whileLocked(nodeFiles, directory, () => copied(beside))
  ends.push('backup')
  await checkpoint
  expect(ends).toEqual(['backup', 'checkpoint'])
  await db.close()
})

test('a server closes beside a copy that another process makes', async () => {
  const db = await open()
  await insert(db, 'a')
  expect(await copied(besides(() => db.close()))).toEqual(['a'])
})

test('a transaction that is not on disk yet, and then fails, is in no copy', async () => {
  const { files } = new FaultyDisk()
  const [reached, failure] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isHeld = false
  const edit: Files['edit'] = async (path) => {
    const file = await files.edit(path)
    const sync = async () => {
      if (!isHeld || !path.endsWith('.journal')) return file.sync()
      reached.resolve()
      await failure.promise
    }
    return { ...file, sync }
  }
  const db = await Database.open({ directory: '/data', schema, now, files: { ...files, edit } })
  await insert(db, 'on disk')
  await db.close()
  const again = await Database.open({ directory: '/data', schema, now, files: { ...files, edit } })
  isHeld = true
  const inFlight = insert(again, 'in flight')
  await reached.promise
  const copy = await again.copyTo('/data/copy.zst')
  expect(copy.seq).toBe(again.seq)
  expect(await textsIn(await files.read('/data/copy.zst'))).toEqual(['on disk'])
  // Its frame is in the journal.
  await copyDatabase(files, '/data', '/data/copy.zst')
  expect(await textsIn(await files.read('/data/copy.zst'))).toEqual(['on disk', 'in flight'])
  isHeld = false
  failure.reject(new Error('the disk accepts no sync'))
  await expect(inFlight).rejects.toThrow(StoreUnavailable)
  expect(again.all('SELECT text FROM note')).toEqual([{ text: 'on disk' }])
  await again.close()
})

test('a copy of data without a transaction since the last checkpoint', async () => {
  const db = await open()
  await insert(db, 'a')
  await db.checkpoint()
  const file = join(directory, 'copy.zst')
  expect(await db.copyTo(file)).toMatchObject({ seq: db.seq, leftOut: [] })
  expect(await textsIn(await nodeFiles.read(file))).toEqual(['a'])
  await db.close()
})

test.each<[string, readonly string[]]>([
  ['with transactions', ['a', 'b']],
  ['without any', []],
])(
  'a journal %s that was damaged on disk while the server runs is replaced from memory',
  async (_, texts) => {
    const disk = new FaultyDisk()
    const db = await Database.open({ directory: '/data', schema, now, files: disk.files })
    for (const text of texts) await insert(db, text)
    const [journal = ''] = disk.names('/data').filter((name) => name.endsWith('.journal'))
    const content = disk.content(`/data/${journal}`)
    content[0] = (content[0] ?? 0) ^ 1
    const { seq } = await db.copyTo('/data/copy.zst')
    expect(seq).toBe(db.seq)
    expect(await textsIn(await disk.files.read('/data/copy.zst'))).toEqual(texts)
    // It is on disk again, too.
    await insert(db, 'later')
    await db.close()
    const again = await Database.open({ directory: '/data', schema, now, files: disk.files })
    expect(again.all<{ text: string }>('SELECT text FROM note').map(({ text }) => text)).toEqual([
      ...texts,
      'later',
    ])
    await again.close()
  },
)

test('a journal on a damaged sector is replaced from memory, too', async () => {
  const disk = new FaultyDisk()
  const unreadable = new Set<string>()
  const read = async (path: string) => {
    if (unreadable.has(path)) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    return disk.files.read(path)
  }
  const db = await Database.open({ directory: '/data', schema, now, files: { ...disk.files, read } })
  await insert(db, 'a')
  unreadable.add('/data/pds.000000000001.journal')
  await db.copyTo('/data/copy.zst')
  expect(await textsIn(await disk.files.read('/data/copy.zst'))).toEqual(['a'])
  await db.close()
})

const faults: Fault[] = [
  'fails',
  'disk full',
  'torn write',
  'kill',
  'power cut, prefix kept',
  'power cut, last kept',
]
test.each(faults)(
  'the data open although there is a fault while a damaged journal is replaced: %s',
  async (fault) => {
    /** Returns the operations, if there is no fault, and otherwise what is lost. */
    const run = async (at?: number) => {
      const disk = new FaultyDisk()
      const openAgain = () => Database.open({ directory: '/data', schema, now, files: disk.files })
      const db = await openAgain()
      const texts = ['a']
      await insert(db, 'a')
      const journal = '/data/pds.000000000001.journal'
      const intact = disk.content(journal)[100] ?? 0
      disk.content(journal)[100] = intact ^ 1
      const start = disk.operations
      if (at !== undefined) disk.failAt(start + at, fault)
      await db.copyTo('/data/copy.zst').catch(() => {})
      const operations = disk.history.slice(start)
      await insert(db, 'b').then(
        () => texts.push('b'),
        () => {},
      )
      if (!disk.off) disk.kill()
      await db.close().catch(() => {})
      disk.restart()
      // The cable read wrong bytes.
      if (disk.names('/data').includes(basename(journal))) disk.content(journal)[100] = intact
      const again = await openAgain()
      const found = again.all<{ text: string }>('SELECT text FROM note').map(({ text }) => text)
      await again.close()
      return { operations, lost: texts.filter((text) => !found.includes(text)) }
    }
    const { operations } = await run()
    for (const [index, operation] of operations.entries()) {
      if (operation === 'read' || !isPossible(fault, operation)) continue
      expect(await run(index + 1), `operation ${index + 1}`).toMatchObject({ lost: [] })
    }
  },
)

test('a copy that reads back differently is an error, and leaves no file', async () => {
  const { files } = new FaultyDisk()
  const db = await Database.open({ directory: '/data', schema, now, files })
  async function* chunks(path: string, start?: number, end?: number): AsyncGenerator<Uint8Array> {
    for await (const chunk of files.chunks(path, start, end))
      yield path.endsWith('.zst.tmp') ? zstdCompressSync(Buffer.alloc(8192)) : chunk
  }
  const copying = copyDatabase({ ...files, chunks }, '/data', '/data/copy.zst')
  await expect(copying).rejects.toThrow('was damaged when it was written')
  expect((await files.list('/data')).filter((name) => name.startsWith('copy'))).toEqual([])
  await db.close()
})
