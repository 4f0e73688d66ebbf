/** Restores of backup files. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkBackup } from '../../../../server/store/backups/read-backup.ts'
import { restore, undoRestore } from '../../../../server/store/backups/restore.ts'
import { Database } from '../../../../server/store/database.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import {
  StoreDamaged,
  StoreLocked,
  StoreTooNew,
  StoreTooOld,
} from '../../../../server/store/files/store-errors.ts'
import { bytesOf, openBytes, unreleased } from '../../../support/store/database-bytes.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const schema = schemaOf('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT) STRICT')
let directory: string
/** A backup of data with one row of two. */
let file: string
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pds-restore-'))
  file = join(directory, 'outside.sqlite.zst')
  const db = await open()
  await insert(db, 'a')
  await db.copyTo(file)
  await insert(db, 'b')
  await db.close()
})
afterEach(() => rmSync(directory, { recursive: true }))

const now = () => new Date('2026-01-01')
const open = () => Database.open({ directory, schema, now })
const insert = (db: Database, text: string) =>
  db.transact((tx) => tx.run('INSERT INTO note (text) VALUES (?)', [text]))
const restoreFile = (from = file) => restore({ directory, file: from, schema, now })

/** Opens the data and returns their rows. */
async function texts(): Promise<string[]> {
  const db = await open()
  const rows = db.all<{ text: string }>('SELECT text FROM note ORDER BY id')
  await db.close()
  return rows.map(({ text }) => text)
}

test('the replaced files are kept', async () => {
  const before = readFileSync(join(directory, 'pds.sqlite'))
  const replaced = (await restoreFile()) ?? ''
  expect(readFileSync(join(replaced, 'pds.sqlite')).equals(before)).toBe(true)
  expect(await texts()).toEqual(['a'])
  // And back again, from the replaced files.
  await expect(restoreFile(join(replaced, 'pds.sqlite'))).rejects.toThrow(
    'belongs together with the files beside it',
  )
  await undoRestore({ directory, now }, replaced)
  expect(await texts()).toEqual(['a', 'b'])
})

test('a damaged store starts again', async () => {
  writeFileSync(join(directory, 'pds.sqlite'), 'garbage')
  await expect(open()).rejects.toThrow(StoreDamaged)
  await restoreFile()
  expect(await texts()).toEqual(['a'])
})

describe('a backup is refused, and the data are unchanged, if it', () => {
  test.each([
    ['is no database', () => writeFileSync(file, 'x'), 'is not a'],
    ['is missing', () => rmSync(file), 'is missing'],
  ])('%s', async (_, spoil, message) => {
    spoil()
    const before = readdirSync(directory)
    await expect(restoreFile()).rejects.toThrow(message)
    expect(readdirSync(directory)).toEqual(before)
    expect(await texts()).toEqual(['a', 'b'])
  })

  test('has another checksum', async () => {
    const sha256 = '0'.repeat(64)
    await expect(restore({ directory, file, schema, now, sha256 })).rejects.toThrow(
      'does not match its checksum',
    )
  })

  test('is of a newer program or one that is too old, or a server runs', async () => {
    const newer = await openBytes(file)
    newer.exec('PRAGMA user_version = 2')
    writeFileSync(join(directory, 'newer'), bytesOf(newer))
    newer.close()
    writeFileSync(join(directory, 'old'), await unreleased(file))
    await expect(restoreFile(join(directory, 'newer'))).rejects.toThrow(StoreTooNew)
    await expect(restoreFile(join(directory, 'old'))).rejects.toThrow(StoreTooOld)
    const db = await open()
    await expect(restoreFile()).rejects.toThrow(StoreLocked)
    await db.close()
    expect(await texts()).toEqual(['a', 'b'])
  })
})

test('a bit that is flipped in a compressed database is found, wherever it is', async () => {
  const content = readFileSync(file)
  for (let at = 0; at < content.length; at += 7) {
    const changed = Buffer.from(content)
    changed[at] = (changed[at] ?? 0) ^ 1
    writeFileSync(file, changed)
    const result = await checkBackup(directory, file).then(
      () => 'intact',
      (error: Error) => error.message,
    )
    expect(result, `byte ${at}`).toMatch(/is damaged|is not a backup/)
  }
})

test('a compressed file is unpacked up to the size that its header declares', async () => {
  const database = zstdDecompressSync(readFileSync(file))
  writeFileSync(file, zstdCompressSync(Buffer.concat([database, Buffer.alloc(50_000_000)])))
  await expect(checkBackup(directory, file)).rejects.toThrow('has more content than it declares')
})

test('a file is refused if the disk lacks the space to unpack it', async () => {
  const options = { files: { ...nodeFiles, freeBytes: async () => 1000 } }
  await expect(checkBackup(directory, file, options)).rejects.toThrow('more than the disk has free')
})
