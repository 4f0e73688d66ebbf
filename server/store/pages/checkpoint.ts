/**
 * The checkpoint puts changed pages in their places in the database file. First they are written to `pds.checkpoint`, which gets its name
 * when it is complete on disk. From then on, a crash at any point leads to the same result: the next start puts them in place again.
 *
 * `pds.checkpoint` begins with a head: 16 bytes of text that end in the version of the format, the number of pages, and the CRC-32 of
 * both and of the list that follows: number and checksum of each page, ascending. Numbers have 32 bits, little-endian. The pages follow in
 * the same order.
 */

import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { yieldToEventLoop } from '../../util/timers.ts'
import { type Files, isMissing, readData, replaceByChunks, writeFully } from '../files/files.ts'
import { checkpointName, databaseName } from '../files/layout.ts'
import { StoreDamaged, StoreTooNew } from '../files/store-errors.ts'
import { type Pages, pageBytes, pageChecksum } from './page.ts'
import { type PageChecksums, saveChecksums } from './page-checksums.ts'
import type { PageFile } from './page-file.ts'

const formatVersion = 1
const title = Buffer.from('pds checkpoint ')
const countAt = title.length + 1
const crcAt = countAt + 4
const headBytes = crcAt + 4
/** Pages that are handled at once: half a millisecond. */
const runLength = 64

/** Writes changed pages to `pds.checkpoint`. After a failure there is no such file, or one that a start may use. */
export async function writeCheckpoint(files: Files, dir: string, pages: Pages): Promise<void> {
  const numbers = ascending(pages)
  const list = await listOf(pages, numbers)
  await replaceByChunks(files, join(dir, checkpointName), chunksOf(pages, numbers, list))
}

/** Puts the frozen pages of a database in their places, and removes `pds.checkpoint`, which has them. May be repeated after a failure. */
export async function finishCheckpoint(files: Files, dir: string, file: PageFile): Promise<void> {
  const { frozen, checksums } = file
  if (!frozen) return
  await putPages(files, join(dir, databaseName), frozen, checksums)
  if (checksums) await saveChecksums(files, dir, checksums)
  await files.remove(join(dir, checkpointName))
  await files.syncDir(dir)
  file.frozen = undefined
}

/** Writes pages to their places in a database file, and syncs it. @param checksums get those of the pages */
export async function putPages(
  files: Files,
  path: string,
  pages: Pages,
  checksums?: PageChecksums,
): Promise<void> {
  const file = await files.edit(path)
  try {
    for (const run of runsOf(ascending(pages))) {
      const bytes = Buffer.concat(run.map((number) => pages.get(number) as Uint8Array))
      for (const number of run) checksums?.set(number, pages.get(number) as Uint8Array)
      await writeFully(file, bytes, ((run[0] as number) - 1) * pageBytes)
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Reads the pages of an unfinished checkpoint; undefined if there is none. @throws StoreDamaged, StoreTooNew */
export async function readCheckpoint(files: Files, dir: string): Promise<Pages | undefined> {
  const path = join(dir, checkpointName)
  const bytes = await readData(files, path).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  if (!bytes) return undefined
  const { version, pages, isWhole } = scanCheckpoint(bytes)
  if (version > formatVersion) throw new StoreTooNew(path, version, formatVersion)
  if (!isWhole) throw new StoreDamaged(path, 'is damaged or cut short')
  return pages
}

export interface ScannedCheckpoint {
  /** 0: the head or the list is damaged. */
  readonly version: number
  /** The checksums of all its pages. */
  readonly checksums: ReadonlyMap<number, number>
  /** Its intact pages. */
  readonly pages: Pages
  readonly isWhole: boolean
}

/** Reads a checkpoint that may be damaged. */
export function scanCheckpoint(bytes: Uint8Array): ScannedCheckpoint {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const checksums = new Map<number, number>()
  const pages = new Map<number, Uint8Array>()
  const hasHead = content.length >= headBytes && title.equals(content.subarray(0, title.length))
  const count = hasHead ? content.readUInt32LE(countAt) : 0
  const start = headBytes + 8 * count
  const list = content.subarray(headBytes, start)
  if (!hasHead || content.readUInt32LE(crcAt) !== crcOf(content, list))
    return { version: 0, checksums, pages, isWhole: false }
  const version = Number(content.toString('latin1', title.length, countAt))
  if (version !== formatVersion) return { version, checksums, pages, isWhole: false }
  for (let at = 0; at < count; at++) {
    const number = list.readUInt32LE(8 * at)
    const page = content.subarray(start + at * pageBytes, start + (at + 1) * pageBytes)
    checksums.set(number, list.readUInt32LE(8 * at + 4))
    if (pageChecksum(page, number) === checksums.get(number)) pages.set(number, page)
  }
  return {
    version,
    checksums,
    pages,
    isWhole: pages.size === count && content.length === start + count * pageBytes,
  }
}

/** Returns the CRC-32 of a head, up to where it has it, and a list. */
function crcOf(head: Buffer, list: Buffer): number {
  return crc32(list, crc32(head.subarray(0, crcAt)))
}

function ascending(pages: Pages): number[] {
  return [...pages.keys()].sort((a, b) => a - b)
}

/** Numbers and checksums. */
async function listOf(pages: Pages, numbers: readonly number[]): Promise<Buffer> {
  const list = Buffer.alloc(8 * numbers.length)
  for (const [at, number] of numbers.entries()) {
    if (at % runLength === runLength - 1) await yieldToEventLoop()
    list.writeUInt32LE(number, 8 * at)
    list.writeUInt32LE(pageChecksum(pages.get(number) as Uint8Array, number), 8 * at + 4)
  }
  return list
}

function* chunksOf(pages: Pages, numbers: readonly number[], list: Buffer): Generator<Uint8Array> {
  const head = Buffer.alloc(headBytes)
  head.write(`${title}${formatVersion}`)
  head.writeUInt32LE(numbers.length, countAt)
  head.writeUInt32LE(crcOf(head, list), crcAt)
  yield Buffer.concat([head, list])
  for (let at = 0; at < numbers.length; at += runLength) {
    yield Buffer.concat(numbers.slice(at, at + runLength).map((number) => pages.get(number) as Uint8Array))
  }
}

/** Splits ascending numbers into runs without gaps, which are written at once. */
function* runsOf(numbers: readonly number[]): Generator<number[]> {
  let run: number[] = []
  for (const number of numbers) {
    if (run.length === runLength || (run.length > 0 && run.at(-1) !== number - 1)) {
      yield run
      run = []
    }
    run.push(number)
  }
  if (run.length > 0) yield run
}
