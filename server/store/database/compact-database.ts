/**
 * Gives the space of deleted data back to the disk, before a store is opened. A crash at any point leaves the old database or the new
 * one, both with the same number of the last transaction; without checksums it must pass SQLite's integrity check.
 */

import { join } from 'node:path'
import { type Files, readHead, replaceFile, writeChunks } from '../files/files.ts'
import { checkpointName, checksumsName, databaseName } from '../files/layout.ts'
import { load } from '../journal/recover.ts'
import { allPages, closeFile, openChecked, setSeq } from '../pages/database-file.ts'
import { pageBytes } from '../pages/page.ts'
import { PageChecksums } from '../pages/page-checksums.ts'

/** Fewest bytes to gain: a smaller gain is not worth the time. */
const leastBytes = 16 * 2 ** 20
/** Bytes that remain, at most: they are in memory as a whole. */
const mostBytes = 2 ** 30
/** Offsets of the numbers of all pages and of free pages, 32 bits, big-endian: see https://sqlite.org/fileformat2.html. */
const [countAt, freeAt] = [28, 36]

/** Whether more than half of a database is free pages, and the disk has space for a copy of the rest. */
export async function canCompact(files: Files, dir: string): Promise<boolean> {
  const names = await files.list(dir)
  if (!names.includes(databaseName) || names.includes(checkpointName)) return false
  const head = await readHead(files, join(dir, databaseName))
  if (head.length < freeAt + 4) return false
  const [count, free] = [head.readUInt32BE(countAt), head.readUInt32BE(freeAt)]
  const [freed, kept] = [free * pageBytes, (count - free) * pageBytes]
  const isWorth = freed > kept && freed >= leastBytes && kept <= mostBytes
  return isWorth && (await files.freeBytes(dir)) > kept + leastBytes
}

/** Writes the database without its free pages. Returns its new size in bytes. @throws StoreDamaged; then nothing has changed */
export async function compact(files: Files, dir: string): Promise<number> {
  const [path, checksums] = [join(dir, databaseName), join(dir, checksumsName)]
  const temporary = `${path}.compact.tmp`
  const loaded = await load(files, dir)
  try {
    setSeq(loaded.sqlite, loaded.seq)
    await writeChunks(files, temporary, [await loaded.sqlite.compacted()])
  } finally {
    await closeFile(loaded)
  }
  const written = await openChecked(files, temporary)
  const sums = PageChecksums.of(allPages(written.file))
  await closeFile(written)
  await files.remove(checksums)
  await files.syncDir(dir)
  await files.rename(temporary, path)
  await files.syncDir(dir)
  await replaceFile(files, checksums, sums.encode())
  return files.size(path)
}
