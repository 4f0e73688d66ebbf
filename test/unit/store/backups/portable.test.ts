import { execFileSync } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { Decrypter, Encrypter } from 'age-encryption'
import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { schema } from '../../../../server/schema/schema.ts'
import { describeBackup, isProtected } from '../../../../server/store/backups/backup-content.ts'
import { exportBackup } from '../../../../server/store/backups/copy-data.ts'
import { checkBackup } from '../../../../server/store/backups/read-backup.ts'
import { restore } from '../../../../server/store/backups/restore.ts'
import { runInWorker } from '../../../../server/store/backups/tasks.ts'
import { Database } from '../../../../server/store/database.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { BackupForeign, BackupLocked, StoreDamaged } from '../../../../server/store/files/store-errors.ts'
import { pageBytes } from '../../../../server/store/pages/page.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { directory, items, TrackedStore } from '../../../support/store/tracked-store.ts'

const passphrase = 'Grüße an das Meer'
const file = '/usb/everything.tar.gz.age'
const createdAt = new Date('2031-02-03T04:05:06.789Z')
const now = () => createdAt

let store: TrackedStore
let open: Buffer
let locked: Buffer
beforeAll(async () => {
  store = new TrackedStore(new FaultyDisk())
  await store.open()
  await store.add(1)
  await store.kill()
  open = await exported(undefined)
  locked = await exported(passphrase)
})

async function exported(passphrase: string | undefined): Promise<Buffer> {
  const disk = await withUsb()
  const bytes = await exportBackup(directory, file, { createdAt, passphrase, workFactor: 6 }, disk.files)
  const content = disk.content(file)
  expect(bytes).toBe(content.length)
  return content
}

async function withUsb(content?: Buffer): Promise<FaultyDisk> {
  const disk = store.disk.clone()
  await disk.files.makeDir('/usb')
  if (content) disk.put(file, content)
  return disk
}

/** Tries to restore a file over the data. Returns the error, and whether the data is unchanged. */
async function tryToRestore(content: Buffer, given: string | undefined) {
  const disk = await withUsb(content)
  const before = dataOn(disk)
  const error: unknown = await restore({
    directory,
    file,
    passphrase: given,
    schema: items,
    now,
    files: disk.files,
  }).catch((error: unknown) => error)
  return { error, unchanged: isDeepStrictEqual(dataOn(disk), before) }
}

/** All files of the data directory. */
function dataOn(disk: FaultyDisk): Map<string, Buffer> {
  return new Map(disk.names(directory).map((name) => [name, disk.content(`${directory}/${name}`)]))
}

async function encryptedText(): Promise<Buffer> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(6)
  return Buffer.from(await encrypter.encrypt('not a backup'))
}

function changed(content: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(content)
  copy[at] = value
  return copy
}

describe('one-file backups', () => {
  test.each([
    ['with its passphrase', () => locked, passphrase],
    ['with its passphrase in decomposed letters', () => locked, passphrase.normalize('NFD')],
    ['unprotected', () => open, undefined],
    ['unprotected, with a passphrase that it does not need', () => open, 'any'],
  ])('%s: restored to another directory', async (_, content, given) => {
    const disk = new FaultyDisk()
    await disk.files.makeDir('/usb')
    disk.put(file, content())
    const options = { directory, file, passphrase: given, schema: items, now, files: disk.files }
    expect(await restore(options)).toBe(undefined)
    const there = new TrackedStore(disk)
    await there.open(items)
    expect(there.ids()).toEqual([1])
    await there.close()
  })

  test('an encrypted file is tar.gz in the age format; an unprotected one is tar.gz', async () => {
    const decrypter = new Decrypter()
    decrypter.addPassphrase(passphrase)
    const decrypted = gunzipSync(await decrypter.decrypt(locked))
    expect(gunzipSync(open).equals(decrypted)).toBe(true)
    const list = (...options: string[]) =>
      execFileSync('tar', [...options, '-f', '-'], { input: decrypted, encoding: 'latin1' })
    expect(list('-t')).toBe('pds.sqlite\n')
    expect(list('-x', '-O').slice(0, 15)).toBe('SQLite format 3')
    // RFC 1952: the time of the content.
    expect(open.readUInt32LE(4)).toBe(Math.floor(createdAt.getTime() / 1000))
  })

  test('a file made with the age tool from decomposed letters is decrypted too', async () => {
    const typed = passphrase.normalize('NFD')
    const encrypter = new Encrypter()
    encrypter.setPassphrase(typed)
    encrypter.setScryptWorkFactor(6)
    const { error } = await tryToRestore(Buffer.from(await encrypter.encrypt(open)), typed)
    expect(error).toContain('replaced-')
  })

  test('an encrypted file reveals nothing of its content, and two files with one passphrase share no ciphertext', async () => {
    for (const part of ['SQLite format', 'item', 'total']) {
      expect(gunzipSync(open).includes(part)).toBe(true)
      expect(locked.includes(part)).toBe(false)
    }
    const again = await exported(passphrase)
    const salt = (content: Buffer) => /-> scrypt (\S+) 6\n/.exec(content.toString('latin1'))?.[1]
    expect(salt(locked)).toMatch(/^.{22}$/)
    expect(salt(again)).not.toBe(salt(locked))
    expect(again.subarray(-64).equals(locked.subarray(-64))).toBe(false)
  })

  test.each(['wrong', '', undefined])('the passphrase %j is refused', async (given) => {
    const { error, unchanged } = await tryToRestore(locked, given)
    expect(error).toBeInstanceOf(BackupLocked)
    expect(error).toHaveProperty('passphrase', given === undefined ? 'missing' : 'wrong')
    expect(unchanged).toBe(true)
  })

  test('isProtected answers without the passphrase', async () => {
    const ask = async (content: Buffer) => isProtected(file, (await withUsb(content)).files)
    expect(await ask(locked)).toBe(true)
    expect(await ask(open)).toBe(false)
  })

  const refusals = [StoreDamaged, BackupForeign, BackupLocked]
  const expectRefusal = async (content: Buffer, given: string | undefined) => {
    const { error, unchanged } = await tryToRestore(content, given)
    expect(refusals.some((each) => error instanceof each)).toBe(true)
    expect(unchanged).toBe(true)
  }

  test('an encrypted file with any byte changed is refused, and the data is unchanged', async () => {
    const at = fc.oneof(fc.nat(200), fc.nat(locked.length - 1))
    await fc.assert(
      fc.asyncProperty(at, fc.integer({ min: 1, max: 255 }), async (at, xor) => {
        await expectRefusal(changed(locked, at, (locked[at] ?? 0) ^ xor), passphrase)
      }),
      { numRuns: 300 },
    )
  }, 60_000)

  test('an unprotected file with any byte changed is refused or its data is the same', async () => {
    const rowsOf = async ({ files }: FaultyDisk) =>
      checkBackup(directory, file, { files }, (_, { sqlite }) => sqlite.all('SELECT * FROM item'))
    const rows = await rowsOf(await withUsb(open))
    const at = fc.oneof(fc.nat(20), fc.nat(open.length - 1))
    await fc.assert(
      fc.asyncProperty(at, fc.integer({ min: 1, max: 255 }), async (at, xor) => {
        const spoiled = changed(open, at, (open[at] ?? 0) ^ xor)
        const result = await rowsOf(await withUsb(spoiled)).catch((error: unknown) => error)
        if (result instanceof Error) await expectRefusal(spoiled, undefined)
        // gzip does not check the time and the name of the system in its header.
        else expect(result).toEqual(rows)
      }),
      { numRuns: 300 },
    )
  }, 60_000)

  test('a file that is cut anywhere, or has more at its end, is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(open.length - 1), async (length) => {
        await expectRefusal(locked.subarray(0, length), passphrase)
        await expectRefusal(open.subarray(0, length), undefined)
      }),
      { numRuns: 100 },
    )
    for (const more of [Buffer.of(0), Buffer.from('more'), open]) {
      await expectRefusal(Buffer.concat([locked, more]), passphrase)
      await expectRefusal(Buffer.concat([open, more]), undefined)
    }
  }, 60_000)

  /** The encrypted file with a part of its text header replaced. */
  const withHeader = (from: RegExp, to: string) =>
    Buffer.from(locked.toString('latin1').replace(from, to), 'latin1')

  test.each([
    [
      'a foreign file',
      () => Buffer.from('GIF89a and so on'),
      BackupForeign,
      'is not a backup of this program',
    ],
    ['an empty file', () => Buffer.alloc(0), BackupForeign, 'is not a backup of this program'],
    [
      'another database',
      () => Buffer.concat([Buffer.from('SQLite format 3\0'), open]),
      StoreDamaged,
      'SQLite',
    ],
    ['an age file without a header', () => locked.subarray(0, 30), StoreDamaged, 'has a damaged header'],
    [
      'an age header with a changed MAC',
      () => withHeader(/--- ..../, '--- AAAA'),
      StoreDamaged,
      'has a damaged header',
    ],
    [
      'an age file that asks for 2^30 blocks of memory',
      () => withHeader(/ 6\n/, ' 30\n'),
      StoreDamaged,
      'has a damaged header',
    ],
    [
      'an age file with a changed last byte',
      () => changed(locked, locked.length - 1, (locked.at(-1) ?? 0) ^ 1),
      StoreDamaged,
      'is damaged or cut short',
    ],
    ['an age file that contains something else', encryptedText, StoreDamaged, 'is damaged or cut short'],
  ])('%s is refused as such', async (_, content, kind, message) => {
    const { error, unchanged } = await tryToRestore(await content(), passphrase)
    expect(error).toBeInstanceOf(kind)
    expect(error).toHaveProperty('message', expect.stringContaining(message))
    expect(unchanged).toBe(true)
  })

  test.each(['fails', 'works but fails', 'torn write', 'disk full'] as const)(
    'a failed export leaves the old file and nothing else: %s at any file operation',
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
        expect(disk.names('/usb')).toEqual(['everything.tar.gz.age'])
        const isOld = disk.content(file).equals(old)
        // Once it has its name, a failure says only that this may not be on disk.
        if (done) expect(isOld).toBe(false)
        if (!isOld) await checkBackup(directory, file, { files: disk.files })
      }
    },
  )
})

describe('an export', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pds-export-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('does not follow a symlink in place of its temporary file', async () => {
    const [target, elsewhere] = [join(folder, 'all.tar.gz'), join(folder, 'elsewhere')]
    await writeFile(elsewhere, '', { mode: 0o666 })
    await symlink(elsewhere, `${target}.tmp`)
    const db = await Database.open({ directory: folder, schema, now })
    await db.export(target)
    await db.close()
    expect(await readFile(elsewhere)).toHaveLength(0)
    const info = await lstat(target)
    expect(info.isFile()).toBe(true)
    expect((info.mode & 0o777).toString(8)).toBe('600')
  })

  test('is made of data on a disk that accepts no lock', async () => {
    await (await Database.open({ directory: folder, schema, now })).close()
    await mkdir(join(folder, 'backups'))
    const lock = async () => Promise.reject(new Error('the disk is full'))
    const target = join(folder, 'all.tar.gz')
    await exportBackup(folder, target, { createdAt }, { ...nodeFiles, lock })
    await checkBackup(folder, target)
  })
})

describe('describeBackup', () => {
  test('reads both forms; the time is in the one-file backup, else that of the file', async () => {
    const disk = new FaultyDisk()
    const { files } = disk
    const db = await Database.open({ directory, schema, now, files })
    await files.makeDir('/usb')
    await db.export(file)
    await db.copyTo('/usb/copy.sqlite.zst')
    const bytes = db.pageCount * pageBytes
    await db.close()
    const toSecond = new Date(createdAt.getTime() - createdAt.getUTCMilliseconds())
    const nothing = { handles: [], records: 0, notifications: 0, blobs: 0, missingBlobs: 0 }
    const describeFile = (name: string) => describeBackup(directory, name, { schema, files })
    expect(await describeFile(file)).toEqual({
      createdAt: toSecond,
      bytes,
      ...nothing,
    })
    // This disk has no clock: its files change at as many milliseconds as they have bytes.
    expect(await describeFile('/usb/copy.sqlite.zst')).toEqual({
      createdAt: new Date(disk.content('/usb/copy.sqlite.zst').length),
      bytes,
      ...nothing,
    })
  })

  test('throws the errors of a restore, with their class, from a worker too', async () => {
    await expect(
      runInWorker({ kind: 'describe', dir: tmpdir(), file, options: { schema } }),
    ).rejects.toBeInstanceOf(StoreDamaged)
    const script = import.meta.filename
    await expect(
      runInWorker({ kind: 'describe', dir: tmpdir(), file: script, options: { schema } }),
    ).rejects.toMatchObject({
      constructor: BackupForeign,
      file: script,
    })
  })
})
