/** A fault at every file operation of checkpoints that change hundreds of pages, in several parts, and grow the file. */
import { setImmediate } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import type { Files, OpenFile } from '../../../../server/store/files/files.ts'
import { StoreDamaged } from '../../../../server/store/files/store-errors.ts'
import { type Fault, FaultyDisk, isPossible } from '../../../support/store/faulty-disk.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const directory = '/data'
const rows = 340
const schema = schemaOf(
  `CREATE TABLE entry (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
   CREATE TABLE large (version INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
   CREATE TABLE filler (body BLOB NOT NULL) STRICT`,
)
/** Fills most of a page, with bytes that differ from those of other versions. */
const bodyOf = (version: number, bytes = 3500) => Buffer.alloc(bytes, `version ${version} `)

const now = () => new Date(Date.UTC(2026, 0, 1))
const open = (files: Files) => Database.open({ directory, schema, now, files, reserveBytes: 16_384 })

class Versions {
  readonly db: Database
  last: number
  acknowledged: number

  constructor(db: Database, version = versionOf(db)) {
    this.db = db
    this.last = version
    this.acknowledged = version
  }

  /** Changes every row and adds more: about 400 pages. */
  async next(): Promise<void> {
    const version = ++this.last
    await this.db.transact((tx) => {
      tx.run('UPDATE entry SET version = ?, body = ?', [version, bodyOf(version)])
      tx.run('INSERT INTO large VALUES (?, ?)', [version, bodyOf(version, 60_000)])
      for (let row = 0; row < 20; row++)
        tx.run('INSERT INTO entry (version, body) VALUES (?, ?)', [version, bodyOf(version)])
    })
    this.acknowledged = version
  }
}

/** Returns the version of the data, all of which has it. */
function versionOf(db: Database): number {
  const found = db.all<{ version: number; n: number }>(
    'SELECT version, count(*) AS n FROM entry GROUP BY version, body',
  )
  expect(found).toHaveLength(1)
  const { version = 0, n } = found[0] ?? {}
  const large = db.all<{ version: number; bytes: number }>(
    'SELECT version, length(body) AS bytes FROM large ORDER BY version',
  )
  expect(large.every(({ bytes }) => bytes === 60_000)).toBe(true)
  expect(large.at(-1)?.version ?? 0).toBe(version)
  expect(n).toBe(rows + 20 * large.length)
  expect(db.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
  return version
}

let base: FaultyDisk
beforeAll(async () => {
  base = new FaultyDisk()
  const db = await open(base.files)
  await db.transact((tx) => {
    for (let row = 0; row < rows; row++)
      tx.run('INSERT INTO entry (version, body) VALUES (0, ?)', [bodyOf(0)])
  })
  await db.close()
  base = base.clone()
})

/** A failing disk is not reported as damage. */
async function tolerate(disk: FaultyDisk, work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!disk.off) expect(error).not.toBeInstanceOf(StoreDamaged)
  })
}

/** The second checkpoint follows one that may have failed half way. */
async function live(disk: FaultyDisk, onOpen?: (versions: Versions) => void): Promise<Versions | undefined> {
  const db = await open(disk.files).catch(() => undefined)
  if (!db) return undefined
  const versions = new Versions(db, 0)
  onOpen?.(versions)
  await tolerate(disk, versions.next())
  await tolerate(disk, db.checkpoint())
  await tolerate(disk, versions.next())
  await tolerate(disk, db.checkpoint())
  await tolerate(disk, versions.next())
  await db.close().catch(() => {})
  return versions
}

/** Each fault is tried at every eleventh operation, a different one for each; 1 tries all. */
const stride = 11
const faults: Fault[] = [
  ...(['fails', 'works but fails', 'disk full', 'disk removed', 'torn write', 'lost sync', 'kill'] as const),
  ...(['power cut', 'power cut, prefix kept', 'power cut, last kept', 'power cut, sectors kept'] as const),
]

test('the checkpoints take several parts', async () => {
  const disk = base.clone()
  const changed: number[] = []
  const { edit } = disk.files
  const files: Files = {
    ...disk.files,
    edit: async (path, options) => {
      const file = await edit(path, options)
      if (!path.endsWith('pds.sqlite')) return file
      const write: OpenFile['write'] = (bytes, at) => {
        changed.push(bytes.length / 4096)
        return file.write(bytes, at)
      }
      return { ...file, write }
    },
  }
  const db = await open(files)
  await new Versions(db).next()
  await db.checkpoint()
  expect(changed.length).toBeGreaterThan(5)
  expect(changed.reduce((sum, pages) => sum + pages)).toBeGreaterThan(300)
  await db.close()
})

test.each(faults)('%s at operations of checkpoints', { timeout: 300_000 }, async (fault) => {
  const whole = base.clone()
  await live(whole)
  expect(whole.history.length).toBeGreaterThan(80)
  const verified = new Set<string>()
  for (const [index, operation] of whole.history.entries()) {
    if (index % stride !== faults.indexOf(fault) % stride || !isPossible(fault, operation)) continue
    const disk = base.clone()
    disk.failAt(index + 1, fault)
    let versions: Versions | undefined
    await live(disk, (opened) => {
      versions = opened
    })
    if (!disk.off) disk.cutPower()
    disk.restart()
    const { acknowledged = 0, last = 0 } = versions ?? {}
    const state = `${disk.fingerprint()} ${acknowledged} ${last}`
    if (verified.has(state)) continue
    verified.add(state)
    const db = await open(disk.files)
    const found = versionOf(db)
    expect(found, `operation ${index + 1}`).toBeGreaterThanOrEqual(acknowledged)
    expect(found, `operation ${index + 1}`).toBeLessThanOrEqual(last)
    await db.close()
  }
})

/** Calls `before` before each operation that a checkpoint has for the files of the database. */
function hooked(files: Files, before: (path: string) => Promise<void>): Files {
  const isOfCheckpoint = (path: string) => /pds\.(sqlite|checkpoint)/.test(path)
  const hookedFile = (path: string, file: OpenFile): OpenFile => ({
    ...file,
    write: async (bytes, position) => {
      await before(path)
      return file.write(bytes, position)
    },
    sync: async () => {
      await before(path)
      return file.sync()
    },
  })
  const openHooked = (open: Files['create']): Files['create'] => {
    return async (path, options) => {
      const file = await open(path, options)
      return isOfCheckpoint(path) ? hookedFile(path, file) : file
    }
  }
  return {
    ...files,
    create: openHooked(files.create),
    edit: openHooked(files.edit),
    rename: async (from, to) => {
      if (isOfCheckpoint(from)) await before(from)
      return files.rename(from, to)
    },
    remove: async (path) => {
      await before(path)
      return files.remove(path)
    },
  }
}

/** Lets the writes of journals fail while `fails` returns true. */
function withJournal(files: Files, fails: () => boolean): Files {
  const refusing = (open: Files['create']): Files['create'] => {
    return async (path, options) => {
      const file = await open(path, options)
      if (!path.endsWith('.journal')) return file
      return {
        ...file,
        write: async (bytes, position) => {
          if (fails()) throw new Error('EIO')
          return file.write(bytes, position)
        },
      }
    }
  }
  return { ...files, create: refusing(files.create), edit: refusing(files.edit) }
}

test.each(['stays', 'is cut'])(
  'a transaction that fails during any step of a checkpoint is undone; power %s afterwards',
  { timeout: 300_000 },
  async (power) => {
    let step = 0
    let failures = 0
    for (;;) {
      step++
      const disk = base.clone()
      let steps = 0
      let isFailing = false
      const failed: Promise<unknown>[] = []
      let versions: Versions | undefined
      const refusing = withJournal(disk.files, () => isFailing)
      const files = hooked(refusing, async () => {
        if (!versions || ++steps !== step) return
        isFailing = true
        const transaction = versions.next().catch(() => failures++)
        failed.push(transaction)
        await Promise.race([transaction, setImmediate()])
        isFailing = false
      })
      const db = await open(files)
      versions = new Versions(db)
      await versions.next()
      await tolerate(disk, db.checkpoint())
      await Promise.all(failed)
      if (failed.length === 0) {
        await db.close()
        break
      }
      versions.last = versions.acknowledged
      if (power === 'stays') {
        await db.transact(() => {})
        expect(versionOf(db), `step ${step}`).toBe(versions.acknowledged)
        await versions.next()
        await db.checkpoint()
        expect(versionOf(db), `step ${step}`).toBe(versions.acknowledged)
      }
      disk.cutPower()
      await db.close()
      disk.restart()
      const again = await open(disk.files)
      expect(versionOf(again), `step ${step}`).toBe(versions.acknowledged)
      await again.close()
    }
    expect(step).toBeGreaterThan(15)
    expect(failures).toBe(step - 1)
  },
)

/** A disk with a complete `pds.checkpoint`, of which no page is in its place yet. */
async function interrupted(): Promise<FaultyDisk> {
  const disk = base.clone()
  const db = await open(disk.files)
  // More pages than a block of checksums has.
  await db.transact((tx) => tx.run('INSERT INTO filler VALUES (zeroblob(4000000))'))
  await db.checkpoint()
  await new Versions(db, 0).next()
  const { rename } = disk.files
  disk.files.rename = async (from, to) => {
    await rename(from, to)
    if (to.endsWith('pds.checkpoint')) disk.kill()
  }
  await db.checkpoint().catch(() => {})
  expect(disk.names(directory)).toContain('pds.checkpoint')
  await db.close()
  disk.restart()
  return disk.clone()
}

test('damaged checksums and an interrupted checkpoint: a kill at any operation of the next start loses nothing', {
  timeout: 120_000,
}, async () => {
  const from = await interrupted()
  const checksums = from.content('/data/pds.sqlite.pages')
  checksums[100] = (checksums[100] ?? 0) ^ 1
  const whole = from.clone()
  await (await open(whole.files)).close()
  for (const [index, operation] of whole.history.entries()) {
    if (operation === 'read') continue
    const disk = from.clone()
    disk.failAt(index + 1, 'kill')
    await open(disk.files)
      .then((db) => db.close())
      .catch(() => {})
    expect(disk.off).toBe(true)
    disk.restart()
    const db = await open(disk.files)
    expect(versionOf(db), `operation ${index + 1}`).toBe(1)
    await db.close()
  }
})

test('a store with an interrupted checkpoint opens for reading on a full disk', async () => {
  const disk = await interrupted()
  // After it has made sure that the folder exists.
  disk.failAt(2, 'disk full')
  const db = await open(disk.files)
  expect(versionOf(db)).toBe(1)
  await db.close()
})

test('a checkpoint writes the checksums of its pages only, however many others there are', async () => {
  const disk = base.clone()
  const written: number[] = []
  const files = {
    ...disk.files,
    async edit(path: string) {
      const file = await disk.files.edit(path)
      if (!path.endsWith('pds.sqlite.pages')) return file
      return {
        ...file,
        write(bytes: Uint8Array, position: number) {
          written.push(bytes.length)
          return file.write(bytes, position)
        },
      }
    },
  }
  const db = await open(files)
  await db.transact((tx) => tx.run('INSERT INTO filler VALUES (zeroblob(40000000))'))
  await db.checkpoint()
  expect(disk.content('/data/pds.sqlite.pages').length).toBeGreaterThan(9 * 4096)
  written.length = 0
  await new Versions(db, 0).next()
  await db.checkpoint()
  expect(written.length).toBeGreaterThan(0)
  expect(written.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(3 * 4096)
  await db.close()
})
