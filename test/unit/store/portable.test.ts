import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkBackup, exportBackup, listBackups } from '../../../server/store/backup.ts'
import { describeBackup, isProtected } from '../../../server/store/backup-content.ts'
import { Database } from '../../../server/store/database.ts'
import { BackupForeign, BackupLocked, StoreDamaged, StoreTooNew } from '../../../server/store/errors.ts'
import { replaceFile } from '../../../server/store/files.ts'
import { migrations } from '../../../server/store/migrations.ts'
import { restore } from '../../../server/store/restore.ts'
import { createSqlite, exportSnapshot } from '../../../server/store/snapshot.ts'
import { runInWorker } from '../../../server/store/tasks.ts'
import { FaultyDisk } from './faulty-disk.ts'
import { directory, items, Story } from './story.ts'

const passphrase = 'Grüße an das Meer'
const file = '/usb/everything.pdsbackup'
const createdAt = new Date('2031-02-03T04:05:06.789Z')
const now = () => createdAt

let story: Story
let open: Buffer
let locked: Buffer
beforeAll(async () => {
  story = new Story(new FaultyDisk())
  await story.open()
  await story.add(1)
  await story.kill()
  open = await exported(undefined)
  locked = await exported(passphrase)
})

async function exported(passphrase: string | undefined): Promise<Buffer> {
  const disk = await withUsb()
  const { bytes } = await exportBackup(directory, file, { createdAt, passphrase, cost: 6 }, disk.files)
  const content = disk.content(file)
  expect(bytes).toBe(content.length)
  return content
}

async function withUsb(content?: Buffer): Promise<FaultyDisk> {
  const disk = story.disk.clone()
  await disk.files.makeDir('/usb')
  if (content) disk.put(file, content)
  return disk
}

/** Tries to restore a file over the data, and says what happened and whether the data changed. */
async function tryToRestore(content: Buffer, given: string | undefined, known = 1) {
  const disk = await withUsb(content)
  const before = dataOn(disk)
  const error: unknown = await restore({
    directory,
    file,
    passphrase: given,
    migrations: known,
    now,
    files: disk.files,
  }).catch((error: unknown) => error)
  return { error, untouched: isDeepStrictEqual(dataOn(disk), before) }
}

/** All files of the data directory. */
function dataOn(disk: FaultyDisk): Map<string, Buffer> {
  return new Map(disk.names(directory).map((name) => [name, disk.content(`${directory}/${name}`)]))
}

/** The same file with a checksum that is right. */
function summed(content: Buffer): Buffer {
  const body = content.subarray(0, -32)
  return Buffer.concat([body, createHash('sha256').update(body).digest()])
}

function changed(content: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(content)
  copy[at] = value
  return copy
}

describe('a portable backup', () => {
  test.each([
    ['with a passphrase', () => locked, passphrase],
    ['typed on another keyboard', () => locked, passphrase.normalize('NFD')],
    ['without one', () => open, undefined],
    ['without one, though one is given', () => open, 'any'],
  ])('%s brings everything to another directory', async (_, content, given) => {
    const disk = new FaultyDisk()
    await disk.files.makeDir('/usb')
    disk.put(file, content())
    const options = { directory, file, passphrase: given, migrations: 1, now, files: disk.files }
    expect(await restore(options)).toBe(undefined)
    const there = new Story(disk)
    await there.open(items)
    expect(there.ids()).toEqual([1])
    await there.close()
  })

  test('shows nothing of what it holds when it has a passphrase, and never twice the same', async () => {
    const snapshot = await checkBackup(file, { files: (await withUsb(open)).files })
    for (const part of ['SQLite format', 'item', 'total']) {
      expect(Buffer.from(snapshot).includes(part)).toBe(true)
      expect(locked.includes(part)).toBe(false)
    }
    const again = await exported(passphrase)
    // Salt, nonce and all that is encrypted.
    expect(again.subarray(32, 60).equals(locked.subarray(32, 60))).toBe(false)
    expect(again.subarray(64, 96).equals(locked.subarray(64, 96))).toBe(false)
  })

  test.each(['wrong', '', undefined])('is refused with the passphrase %j', async (given) => {
    const { error, untouched } = await tryToRestore(locked, given)
    expect(error).toBeInstanceOf(BackupLocked)
    expect(error).toHaveProperty('passphrase', given === undefined ? 'missing' : 'wrong')
    expect(untouched).toBe(true)
  })

  test('tells whether it has a passphrase before it is given one', async () => {
    const ask = async (content: Buffer) => isProtected(file, (await withUsb(content)).files)
    expect(await ask(locked)).toBe(true)
    expect(await ask(open)).toBe(false)
  })

  const refusals = [StoreDamaged, StoreTooNew, BackupForeign, BackupLocked]
  const expectRefusal = async (content: Buffer, given: string | undefined) => {
    const { error, untouched } = await tryToRestore(content, given)
    expect(refusals.some((each) => error instanceof each)).toBe(true)
    expect(untouched).toBe(true)
  }

  test('with any byte changed is refused, and nothing is touched', async () => {
    const change = (content: Buffer) =>
      fc.tuple(
        fc.oneof(fc.nat(95), fc.nat(content.length - 1)),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
      )
    for (const [content, given] of [
      [open, undefined],
      [locked, passphrase],
    ] as const) {
      await fc.assert(
        fc.asyncProperty(change(content), async ([at, xor, mends]) => {
          const spoiled = changed(content, at, (content[at] ?? 0) ^ xor)
          // Who changes it on purpose can mend the checksum. Only a passphrase protects against that.
          const isSummed = mends && given !== undefined && at < content.length - 32
          await expectRefusal(isSummed ? summed(spoiled) : spoiled, given)
        }),
        { numRuns: 300 },
      )
    }
  }, 60_000)

  test('cut short anywhere, or with more at its end, is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(open.length - 1), async (length) => {
        await expectRefusal(locked.subarray(0, length), passphrase)
        await expectRefusal(open.subarray(0, length), undefined)
      }),
      { numRuns: 100 },
    )
    await expectRefusal(Buffer.concat([locked, Buffer.of(0)]), passphrase)
  })

  test.each([
    ['a foreign file', () => Buffer.from('GIF89a and so on'), BackupForeign],
    ['an empty file', () => Buffer.alloc(0), BackupForeign],
    ['another database', () => Buffer.concat([Buffer.from('SQLite format 3\0'), open]), StoreDamaged],
    ['a later form', () => summed(changed(open, 8, 2)), StoreTooNew],
    ['one that asks for 2^40 blocks of memory', () => summed(changed(locked, 10, 40)), StoreDamaged],
    ['one that unpacks to more than it announces', () => summed(changed(open, 30, 0)), StoreDamaged],
    ['one that announces 2^56 bytes', () => summed(changed(open, 24, 1)), StoreDamaged],
  ])('%s is refused as such', async (_, content, kind) => {
    const { error, untouched } = await tryToRestore(content(), passphrase)
    expect(error).toBeInstanceOf(kind)
    expect(untouched).toBe(true)
  })

  test('of a newer program is refused', async () => {
    const { error, untouched } = await tryToRestore(locked, passphrase, 0)
    expect(error).toBeInstanceOf(StoreTooNew)
    expect(untouched).toBe(true)
  })

  test.each(['fails', 'works but fails', 'torn write', 'disk full'] as const)(
    'that cannot be written leaves the old file and nothing else: %s at any file operation',
    async (fault) => {
      const old = Buffer.from('the export of last week')
      const write = (disk: FaultyDisk) => exportBackup(directory, file, { createdAt }, disk.files)
      const healthy = await withUsb(old)
      const before = healthy.operations
      await write(healthy)
      for (let at = before + 1; at <= healthy.operations; at++) {
        const disk = await withUsb(old)
        disk.failAt(at, fault)
        const done = await write(disk).then(
          () => true,
          () => false,
        )
        disk.restart()
        expect(disk.names('/usb')).toEqual(['everything.pdsbackup'])
        const isOld = disk.content(file).equals(old)
        // Once it has its name, a failure says only that this may not be on disk.
        if (done) expect(isOld).toBe(false)
        if (!isOld) await checkBackup(file, { files: disk.files })
      }
    },
  )
})

describe('what a backup holds', () => {
  test('is told of a portable and of an ordinary one, by its name or by the time of the file', async () => {
    const disk = new FaultyDisk()
    const { files } = disk
    const db = await Database.open({ directory, migrations, now, files })
    await db.backup()
    await files.makeDir('/usb')
    await db.export(file)
    await db.close()
    const [made] = await listBackups(directory, files)
    await replaceFile(files, '/usb/renamed.sqlite', await files.read(made?.file ?? ''))
    const nothing = { handles: [], records: 0, notifications: 0 }
    const tell = (name: string) => describeBackup(name, migrations, undefined, files)
    expect(await tell(file)).toEqual({ createdAt, bytes: disk.content(file).length, ...nothing })
    expect(await tell(made?.file ?? '')).toEqual({ createdAt, bytes: made?.bytes, ...nothing })
    const bytes = made?.bytes ?? 0
    // This disk has no clock: its files change at as many milliseconds as they have bytes.
    expect(await tell('/usb/renamed.sqlite')).toEqual({ createdAt: new Date(bytes), bytes, ...nothing })
  })

  test('is told of one that an older program made', async () => {
    const sqlite = await createSqlite()
    sqlite.exec('CREATE TABLE accounts (id INTEGER, handle TEXT); INSERT INTO accounts VALUES (1, "a.test")')
    sqlite.exec('PRAGMA user_version = 1')
    const disk = await withUsb(Buffer.from(exportSnapshot(sqlite, 0)))
    sqlite.close()
    const later = [{ sql: '' }, { sql: 'CREATE TABLE records (n) ; CREATE TABLE notifications (n)' }]
    expect(await describeBackup(file, later, undefined, disk.files)).toMatchObject({
      handles: ['a.test'],
      records: 0,
    })
  })

  test('refuses as a restore does, also from another thread', async () => {
    await expect(runInWorker({ kind: 'describe', file, migrations })).rejects.toBeInstanceOf(StoreDamaged)
    const script = import.meta.filename
    await expect(runInWorker({ kind: 'describe', file: script, migrations })).rejects.toMatchObject({
      constructor: BackupForeign,
      file: script,
    })
  })
})
