import { execFile, execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  backup,
  backupIsDue,
  exportBackup,
  listBackups,
} from '../../../../server/platform/store/backups/backup.ts'
import { checkBackup } from '../../../../server/platform/store/backups/read-backup.ts'
import { restore, undoRestore } from '../../../../server/platform/store/backups/restore.ts'
import { Database } from '../../../../server/platform/store/database.ts'
import {
  StoreDamaged,
  StoreLocked,
  StoreTooNew,
  StoreTooOld,
} from '../../../../server/platform/store/errors.ts'
import { type Files, nodeFiles, replaceFile } from '../../../../server/platform/store/files.ts'
import type { Upgrade } from '../../../../server/platform/store/open.ts'
import { PageChecksums } from '../../../../server/platform/store/pages/page-checksums.ts'
import { schema as dataSchema } from '../../../../server/platform/store/schema.ts'
import { bytesOf, openBytes, unreleased } from '../../../support/database-bytes.ts'
import { schemaOf } from '../../../support/schema-of.ts'
import { type Fault, FaultyDisk } from './faulty-disk.ts'
import { items, TrackedStore, directory as trackedDirectory } from './tracked-store.ts'

const first = 'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT) STRICT'
const second = 'ALTER TABLE note ADD COLUMN more TEXT'
const broken = 'ALTER TABLE note ADD COLUMN even_more TEXT; INSERT INTO nowhere VALUES (1)'
const schema = schemaOf(first)

let directory: string
let minute: number
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pds-backup-'))
  minute = 0
})
afterEach(() => rmSync(directory, { recursive: true }))

const now = () => new Date(Date.UTC(2026, 0, 1, 0, minute++))
const open = (...steps: string[]) => Database.open({ directory, schema: schemaOf(...steps), now })
const insert = (db: Database, text: string) =>
  db.transact((tx) => tx.run('INSERT INTO note (text) VALUES (?)', [text]))
const texts = (db: Database) =>
  db.all<{ text: string }>('SELECT text FROM note ORDER BY id').map(({ text }) => text)
const contents = () =>
  new Map(
    readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]),
  )
const backups = () => readdirSync(join(directory, 'backups')).sort()
/** Files of a process that calls `work` between reading the checksums and the pages. */
const besides = (work: () => Promise<void>): Files => ({
  ...nodeFiles,
  async open(path) {
    if (path === join(directory, 'pds.sqlite')) await work()
    return nodeFiles.open(path)
  },
})
const mode = (path: string) => (statSync(join(directory, path)).mode & 0o777).toString(8)

describe('files of the data directory', () => {
  test('only the owner can read them, also after a start with more open modes', async () => {
    const db = await open(first)
    await insert(db, 'a')
    await db.backup()
    await db.checkpoint()
    for (const name of readdirSync(directory, { recursive: true }) as string[]) {
      expect([name, mode(name)]).toEqual([name, name === 'backups' ? '700' : '600'])
    }
    await db.close()
    const { mode: before } = statSync(directory)
    execFileSync('chmod', ['755', directory])
    execFileSync('chmod', ['644', join(directory, 'pds.sqlite')])
    await (await open(first)).close()
    expect(mode('')).toBe('700')
    expect(before & 0o777).toBe(0o700)
    expect(mode('pds.sqlite')).toBe('600')
  })

  test('an export does not follow a symlink in place of its temporary file', async () => {
    const file = join(directory, 'carried.tar.gz')
    const elsewhere = join(directory, 'elsewhere')
    writeFileSync(elsewhere, '', { mode: 0o666 })
    symlinkSync(elsewhere, `${file}.tmp`)
    const db = await open(first)
    await db.export(file)
    await db.close()
    expect(readFileSync(elsewhere)).toHaveLength(0)
    expect(lstatSync(file).isFile()).toBe(true)
    expect(mode('carried.tar.gz')).toBe('600')
  })

  test('sha256sum accepts their checksums', async () => {
    const db = await open(first)
    const { file } = await db.backup()
    await db.close()
    const check = (cwd: string, name: string) =>
      execFileSync('sha256sum', ['-c', name], { cwd, encoding: 'utf8' })
    expect(check(join(directory, 'backups'), `${basename(file)}.sha256`)).toBe(`${basename(file)}: OK\n`)
  })
})

describe('upgrades', () => {
  test('run in order, after a backup of the store', async () => {
    const old = await open(first)
    await insert(old, 'a')
    await old.close()
    expect(existsSync(join(directory, 'backups'))).toBe(false)
    const upgrades: Upgrade[] = []
    const options = { directory, schema: schemaOf(first, second), now }
    const db = await Database.open({ ...options, onUpgrade: (upgrade) => upgrades.push(upgrade) })
    expect(upgrades).toEqual([
      { from: 1, to: 2, state: 'started' },
      { from: 1, to: 2, state: 'finished' },
    ])
    expect(db.all('SELECT * FROM note')).toEqual([{ id: 1, text: 'a', more: null }])
    const [before] = await listBackups(directory)
    await db.close()
    await restore({ directory, file: before?.file ?? '', schema, now })
    const back = await open(first)
    expect(back.all('SELECT * FROM note')).toEqual([{ id: 1, text: 'a' }])
    await back.close()
  })

  test('a failed upgrade leaves the store unchanged', async () => {
    const old = await open(first)
    await insert(old, 'a')
    await old.close()
    await expect(open(first, broken)).rejects.toThrow('nowhere')
    const db = await open(first)
    expect(db.all('SELECT * FROM note')).toEqual([{ id: 1, text: 'a' }])
    await db.close()
  })

  test('may rebuild a table that others refer to, but not leave rows that refer to missing rows', async () => {
    const parent = 'CREATE TABLE child (note INTEGER REFERENCES note ON DELETE CASCADE) STRICT'
    const db = await open(first, parent)
    await insert(db, 'a')
    await db.transact((tx) => tx.run('INSERT INTO child VALUES (1)'))
    await db.close()
    const rebuild = `
      CREATE TABLE new (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
      INSERT INTO new SELECT * FROM note; DROP TABLE note; ALTER TABLE new RENAME TO note`
    await expect(open(first, parent, 'DELETE FROM note')).rejects.toThrow('refer to missing rows')
    const rebuilt = await open(first, parent, rebuild)
    expect(rebuilt.all('SELECT * FROM child')).toEqual([{ note: 1 }])
    await rebuilt.close()
  })

  test('a store of a newer program is refused and left unchanged', async () => {
    await (await open(first, second)).close()
    const before = readFileSync(join(directory, 'pds.sqlite'))
    await expect(open(first)).rejects.toThrow(StoreTooNew)
    await expect(open(first)).rejects.toThrow('has version 2, but this program supports versions up to 1')
    expect(readFileSync(join(directory, 'pds.sqlite')).equals(before)).toBe(true)
    await (await open(first, second)).close()
  })

  test.each(['without', 'with'])(
    'a store from before the first release (%s checksums) is refused and left unchanged',
    async (checksums) => {
      await (await open(first)).close()
      const path = join(directory, 'pds.sqlite')
      const released = readFileSync(path)
      const old = await unreleased(released)
      writeFileSync(path, old)
      const list = join(directory, 'pds.sqlite.pages')
      const pages = Array.from(
        { length: old.length / 4096 },
        (_, at) => [at + 1, old.subarray(4096 * at, 4096 * (at + 1))] as const,
      )
      if (checksums === 'with') writeFileSync(list, PageChecksums.of(pages).encode())
      else rmSync(list)
      const before = contents()
      const start = open(first)
      await expect(start).rejects.toThrow(StoreTooOld)
      await expect(start).rejects.toThrow(
        `${path} was written by a version of this program from before its first release, which this version cannot open. Nothing was changed.`,
      )
      expect(contents()).toEqual(before)
    },
  )
})

describe('backups', () => {
  test('a backup contains the database and the journal, and passes its check', async () => {
    const db = await open(first)
    await insert(db, 'a')
    await db.checkpoint()
    await insert(db, 'b')
    const info = await db.backup()
    await insert(db, 'c')
    expect(await listBackups(directory)).toEqual([info])
    expect(info).toMatchObject({ bytes: statSync(info.file).size })
    await checkBackup(directory, info.file)
    await db.close()
    await restore({ directory, file: info.file, schema, now })
    const back = await open(first)
    expect(texts(back)).toEqual(['a', 'b'])
    await back.close()
  })

  test('another process can make a backup while this one writes and checkpoints', async () => {
    const db = await open(first)
    const script = fileURLToPath(new URL('./backup-maker.ts', import.meta.url))
    let done = false
    const child = promisify(execFile)(process.execPath, ['--no-warnings', script, directory, '10']).finally(
      () => {
        done = true
      },
    )
    let written = 0
    for (; !done; written++) {
      await insert(db, `note ${written}`)
      if (written % 50 === 0) await db.checkpoint()
    }
    const counts = (await child).stdout.trim().split('\n').map(Number)
    expect(counts).toHaveLength(10)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(counts.at(-1)).toBeGreaterThan(0)
    expect(counts.at(-1)).toBeLessThanOrEqual(written)
    await db.close()
  })

  test('a backup is made although a server that does not wait for it replaces the files again and again', async () => {
    const db = await open(first)
    let checkpoints = 0
    const files: Files = {
      ...nodeFiles,
      lock: async () => ({ isHeld: async () => true, release: async () => {} }),
      async list(dir) {
        if (dir === directory && checkpoints < 12) {
          await insert(db, `note ${checkpoints++}`)
          await db.checkpoint()
        }
        return nodeFiles.list(dir)
      },
    }
    const { file } = await backup(directory, now(), 'manual', files)
    const sqlite = await openBytes(file)
    expect(sqlite.get('SELECT count(*) AS notes FROM note')).toEqual({ notes: 12 })
    sqlite.close()
    await db.close()
  })

  test('the next checkpoint waits for the backup of another process, and transactions go on', async () => {
    const db = await open(first)
    await insert(db, 'before')
    const ends: string[] = []
    let checkpoint: Promise<unknown> | undefined
    const beside = besides(async () => {
      checkpoint ??= db.checkpoint().then(() => ends.push('checkpoint'))
      for (let i = 0; i < 20; i++) await insert(db, `note ${i}`)
    })
    await backup(directory, now(), 'manual', beside)
    ends.push('backup')
    await checkpoint
    expect(ends).toEqual(['backup', 'checkpoint'])
    expect(texts(db)).toHaveLength(21)
    await db.close()
  })

  test('an export is made of data on a disk that accepts no lock', async () => {
    const db = await open(first)
    await insert(db, 'a')
    await db.backup()
    await db.close()
    const lock = async () => Promise.reject(new Error('the disk is full'))
    const file = join(directory, 'carried.tar.gz')
    await exportBackup(directory, file, { createdAt: now() }, { ...nodeFiles, lock })
    await checkBackup(directory, file)
  })

  test('a server closes beside the backup of another process', async () => {
    const db = await open(first)
    await insert(db, 'a')
    const { file } = await backup(
      directory,
      now(),
      'manual',
      besides(() => db.close()),
    )
    const sqlite = await openBytes(file)
    expect(sqlite.get('SELECT text FROM note')).toEqual({ text: 'a' })
    sqlite.close()
  })

  test('a backup is made although a checkpoint ends meanwhile and leaves journals of the same names', async () => {
    const [begun, mayGoOn, ended, mayRemove] = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
    const files: Files = {
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
    }
    const db = await Database.open({ directory, schema, now, files })
    await insert(db, 'a')
    const checkpoint = db.checkpoint()
    await begun?.promise
    let reads = 0
    const beside = besides(async () => {
      reads++
      mayGoOn?.resolve()
      await ended?.promise
    })
    const { file } = await backup(directory, now(), 'manual', beside)
    expect(reads).toBe(2)
    mayRemove?.resolve()
    await checkpoint
    const sqlite = await openBytes(file)
    expect(texts(db)).toEqual(['a'])
    expect(sqlite.get('SELECT text FROM note')).toEqual({ text: 'a' })
    sqlite.close()
    await db.close()
  })

  test('manual backups never remove daily ones, nor those made before an upgrade', async () => {
    await (await open(first)).close()
    const db = await open(first, second)
    const daily = basename((await db.backup('daily')).file)
    const manual: string[] = []
    for (let i = 0; i < 9; i++) manual.push(basename((await db.backup()).file))
    const names = (await listBackups(directory)).map(({ file }) => basename(file))
    expect(names).toEqual([...manual.slice(2).toReversed(), daily, expect.stringContaining('pds-upgrade-')])
    await db.close()
  })

  test('a backup that a person named is neither listed nor removed, and can be restored', async () => {
    const db = await open(first)
    await insert(db, 'a')
    const { file } = await db.backup()
    const named = join(directory, 'backups', 'before-the-move.sqlite.zst')
    renameSync(file, named)
    expect(await listBackups(directory)).toEqual([])
    for (let i = 0; i < 8; i++) await db.backup('daily')
    await db.close()
    expect(backups()).toContain('before-the-move.sqlite.zst')
    await restore({ directory, file: named, schema, now })
    const back = await open(first)
    expect(texts(back)).toEqual(['a'])
    await back.close()
  })

  test('a daily backup is due a day after the last daily one', async () => {
    const db = await open(first)
    expect(await backupIsDue(directory, new Date(0))).toBe(true)
    const { createdAt } = await db.backup('daily')
    await db.backup()
    const later = (hours: number) => new Date(createdAt.getTime() + hours * 3_600_000)
    expect(await backupIsDue(directory, later(23.99))).toBe(false)
    expect(await backupIsDue(directory, later(24))).toBe(true)
    await db.close()
  })

  test('a backup from the future counts for nothing: others are due once a day', async () => {
    const db = await open(first)
    const { createdAt } = await db.backup('daily')
    const before = new Date(createdAt.getTime() - 48 * 3_600_000)
    expect(await backupIsDue(directory, before)).toBe(true)
    await backup(directory, before, 'daily')
    expect(await backupIsDue(directory, before)).toBe(false)
    await db.close()
  })

  test('on a full disk the oldest daily backups are deleted if the next one fits then, all but two', async () => {
    const { files } = new FaultyDisk()
    let free = Number.POSITIVE_INFINITY
    const made = async () => (await listBackups('/data', files)).map(({ file }) => file)
    const sizes = async () => (await listBackups('/data', files)).reduce((sum, { bytes }) => sum + bytes, 0)
    const freeBytes = async () => free - (await sizes())
    const db = await Database.open({ directory: '/data', schema, now, files: { ...files, freeBytes } })
    const manual = await db.backup()
    for (let i = 0; i < 5; i++) await db.backup('daily')
    const [newest, second, third, fourth] = await made()
    const needed = 2 * 0.6 * (await files.size('/data/pds.sqlite'))
    // As much as the oldest one takes is missing.
    free = (await sizes()) + needed - 1
    const { file } = await db.backup('daily')
    expect(await made()).toEqual([file, newest, second, third, fourth, manual.file])
    // Deletions do not suffice: none is made.
    free = needed
    const before = await made()
    await expect(db.backup('daily')).rejects.toThrow('too little free space')
    // Other kinds delete nothing.
    free = (await sizes()) + needed - 1
    await expect(db.backup()).rejects.toThrow('too little free space')
    expect(await made()).toEqual(before)
    await db.close()
  })

  test('a compressed file is unpacked up to the size that its header declares', async () => {
    const { files } = new FaultyDisk()
    const db = await Database.open({ directory: '/data', schema, now, files })
    const { file } = await db.backup()
    await db.close()
    const database = zstdDecompressSync(await files.read(file))
    const bomb = zstdCompressSync(Buffer.concat([database, Buffer.alloc(50_000_000)]))
    await replaceFile(files, '/data/bomb.sqlite.zst', bomb)
    await expect(checkBackup('/data', '/data/bomb.sqlite.zst', { files })).rejects.toThrow(
      'has more content than it declares',
    )
  })

  test('a file is refused if the disk lacks the space to unpack it', async () => {
    const { files } = new FaultyDisk()
    const db = await Database.open({ directory: '/data', schema, now, files })
    const { file } = await db.backup()
    await db.close()
    const options = { files: { ...files, freeBytes: async () => 1000 } }
    await expect(checkBackup('/data', file, options)).rejects.toThrow('more than the disk has free')
  })

  test('a backup that reads back differently is removed', async () => {
    const { files } = new FaultyDisk()
    const isBackup = (path: string) => path.endsWith('Z.sqlite.zst.tmp')
    async function* chunks(path: string, start?: number, end?: number): AsyncGenerator<Uint8Array> {
      for await (const chunk of files.chunks(path, start, end))
        yield isBackup(path) ? zstdCompressSync(Buffer.alloc(8192)) : chunk
    }
    const corrupting = { ...files, chunks }
    const db = await Database.open({ directory: '/data', schema, now, files: corrupting })
    await expect(db.backup()).rejects.toThrow('was damaged when it was written')
    expect(await listBackups('/data', files)).toEqual([])
    await db.close()
  })

  test('a directory without a store is refused', async () => {
    await expect(backup(directory, now())).rejects.toThrow('pds.sqlite is missing')
    expect(readdirSync(directory)).toEqual([])
  })
})

describe('restore', () => {
  async function storeWithBackup(): Promise<string> {
    const db = await open(first)
    await insert(db, 'a')
    const { file } = await db.backup()
    await insert(db, 'b')
    await db.close()
    return file
  }

  test('the replaced files are kept', async () => {
    const file = await storeWithBackup()
    const before = readFileSync(join(directory, 'pds.sqlite'))
    const replaced = await restore({ directory, file, schema, now })
    expect(readFileSync(join(replaced ?? '', 'pds.sqlite')).equals(before)).toBe(true)
    const db = await open(first)
    expect(texts(db)).toEqual(['a'])
    await insert(db, 'c')
    await db.close()
    // And back again, from the replaced files.
    const alone = restore({ directory, file: join(replaced ?? '', 'pds.sqlite'), schema, now })
    await expect(alone).rejects.toThrow('belongs together with the files beside it')
    await undoRestore({ directory, now }, replaced ?? '')
    const back = await open(first)
    expect(texts(back)).toEqual(['a', 'b'])
    await back.close()
  })

  test('a damaged store starts again', async () => {
    const file = await storeWithBackup()
    writeFileSync(join(directory, 'pds.sqlite'), 'garbage')
    await expect(open(first)).rejects.toThrow(StoreDamaged)
    await restore({ directory, file, schema, now })
    const db = await open(first)
    expect(texts(db)).toEqual(['a'])
    await db.close()
  })

  test('an empty directory receives the data', async () => {
    const file = await storeWithBackup()
    const elsewhere = join(directory, 'elsewhere')
    expect(await restore({ directory: elsewhere, file, schema, now })).toBe(undefined)
    const db = await Database.open({ directory: elsewhere, schema, now })
    expect(texts(db)).toEqual(['a'])
    await db.close()
  })

  test.each([
    [
      'is changed',
      (file: string) => writeFileSync(file, readFileSync(file).fill(1, 100, 101)),
      /is damaged or cut short|does not match its checksum/,
    ],
    ['is no database', (file: string) => [writeFileSync(file, 'x'), rmSync(`${file}.sha256`)], 'is not a'],
    ['is missing', (file: string) => rmSync(file), 'is missing'],
  ])('a backup that %s is refused, and the data is unchanged', async (_, spoil, message) => {
    const file = await storeWithBackup()
    spoil(file)
    const before = readdirSync(directory)
    await expect(restore({ directory, file, schema, now })).rejects.toThrow(message)
    expect(readdirSync(directory)).toEqual(before)
    const db = await open(first)
    expect(texts(db)).toEqual(['a', 'b'])
    await db.close()
  })

  test('a backup of a newer program is refused, one that is too old, and a directory in use', async () => {
    const file = await storeWithBackup()
    const newer = await openBytes(file)
    newer.exec('PRAGMA user_version = 2')
    writeFileSync(join(directory, 'newer'), bytesOf(newer))
    writeFileSync(join(directory, 'old'), await unreleased(file))
    const before = contents()
    const restoreFrom = (name: string) => restore({ directory, file: join(directory, name), schema, now })
    await expect(restoreFrom('newer')).rejects.toThrow(StoreTooNew)
    await expect(restoreFrom('old')).rejects.toThrow(StoreTooOld)
    expect(contents()).toEqual(before)
    const db = await open(first)
    await expect(restore({ directory, file, schema, now })).rejects.toThrow(StoreLocked)
    await db.close()
  })

  test.each<Fault>([
    'fails',
    'works but fails',
    'kill',
    'power cut',
    'power cut, prefix kept',
    'power cut, last kept',
    'power cut, sectors kept',
  ])('is complete or has no effect: %s at any file operation', async (fault) => {
    const store = new TrackedStore(new FaultyDisk())
    await store.open()
    await store.add(1)
    const { file } = await store.db.backup()
    await store.add(2)
    await store.kill()
    const run = async (disk: FaultyDisk) =>
      restore({ directory: trackedDirectory, file, schema, now, files: disk.files })

    const healthy = store.disk.clone()
    await run(healthy)
    for (let at = 1; at <= healthy.operations; at++) {
      const disk = store.disk.clone()
      disk.failAt(at, fault)
      const done = await run(disk).then(
        () => true,
        () => false,
      )
      disk.restart()
      const after = new TrackedStore(disk)
      await after.open(items)
      const ids = after.ids()
      expect(done ? [[1]] : [[1], [1, 2]], `operation ${at}`).toContainEqual(ids)
      await after.close()
      const kept = disk.names(trackedDirectory)
      expect(kept.filter((name) => name.endsWith('.tmp') || name.endsWith('.restored'))).toEqual([])
    }
  })
})

describe('commands', () => {
  const run = (command: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [
      '--no-warnings',
      fileURLToPath(new URL(`../../../../server/operation/cli/${command}.ts`, import.meta.url)),
      ...args,
    ])

  test('backup and restore: make a backup, list it and restore it', async () => {
    const openData = () => Database.open({ directory, schema: dataSchema, now })
    await (await openData()).close()
    const made = (await run('backup', '--data-dir', directory)).stdout
    const [name = ''] = backups()
    expect(made).toContain(name)
    expect(made).toContain('It is restorable')
    const listed = (await run('restore', '--list', '--data-dir', directory)).stdout
    expect(listed).toMatch(/^A backup was last proven restorable: 20\d\d-/)
    expect(listed).toMatch(new RegExp(`${name}\n  last proven restorable: 20\\d\\d-`))
    expect((await run('restore', name, '--data-dir', directory)).stdout).toMatch(
      /^Restored .* are in .*replaced-/,
    )
    await (await openData()).close()
  })

  test('restore: lists folders of replaced files, and deletes the one that is named', async () => {
    const names = ['replaced-20260101T100000000Z', 'replaced-20260202T100000000Z'] as const
    for (const name of names) mkdirSync(join(directory, name))
    writeFileSync(join(directory, names[1], 'pds.sqlite'), 'data')
    utimesSync(join(directory, names[1], 'pds.sqlite'), new Date(0), new Date(0))
    const list = async () => (await run('restore', '--list', '--data-dir', directory)).stdout
    expect(await list()).toContain(
      `2026-02-02T10:00:00.000Z  4 bytes  ${names[1]}\n  deleted on 2026-03-04\n` +
        `2026-01-01T10:00:00.000Z  0 bytes  ${names[0]}\n  deleted on 2026-01-31\n`,
    )
    const forget = (name: string) => run('restore', '--forget', name, '--data-dir', directory)
    for (const wrong of ['replaced-notes', `../${basename(directory)}/${names[0]}`, 'backups', '']) {
      await expect(forget(wrong)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('There is no folder of replaced files'),
      })
    }
    expect((await forget(names[0])).stdout).toMatch(/^Deleted .*replaced-20260101T100000000Z/)
    expect(readdirSync(directory)).toEqual([names[1]])
    expect(await list()).not.toContain(names[0])
  })

  test('backup and restore: print help, and errors with exit code 1', async () => {
    for (const command of ['backup', 'restore']) {
      expect((await run(command, '--help')).stdout).toContain(`npm run ${command}`)
      await expect(run(command, '--wrong')).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('--wrong'),
      })
    }
    const { file } = await open(first).then((db) => db.backup().finally(() => db.close()))
    const old = join(directory, 'old')
    writeFileSync(old, await unreleased(file))
    await expect(run('restore', old, '--data-dir', directory)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('from before its first release'),
    })
    await expect(run('restore', 'none.sqlite', '--data-dir', directory)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/none\.sqlite is missing/),
    })
  })
})
