/**
 * The checksums of pages, as they are in memory and in `pds.sqlite.pages`: blocks of 4096 bytes, each with a CRC-32 of the rest of the
 * block and 1023 checksums, little-endian. The first entry, which belongs to no page, is the version of the format. A checkpoint writes
 * only the blocks that have changed, in their places.
 */

import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Files, isMissing, readIfThere, replaceFile, writeFully } from '../files/files.ts'
import { checksumsName } from '../files/layout.ts'
import { StoreDamaged, StoreTooNew } from '../files/store-errors.ts'
import { type Pages, pageChecksum } from './page.ts'

const formatVersion = 1
const blockBytes = 4096
const perBlock = blockBytes / 4 - 1

export class PageChecksums {
  /** The blocks as they are in the file, with room for more. All processors that run this program are little-endian. */
  #words: Uint32Array<ArrayBuffer>
  /** Pages with a number below this one may have a checksum. */
  #end = 1
  /** Blocks that differ from the file: few after a checkpoint, however large the database is. */
  readonly #unsaved = new Set([0])
  /** Damaged blocks, with the bytes that were read. The checksums of their pages are unknown. */
  readonly #unknown = new Map<number, Buffer>()
  #hasFile = false

  constructor(blocks = 1) {
    this.#words = new Uint32Array((blocks * blockBytes) / 4)
    this.#words[wordOf(0)] = formatVersion
  }

  /** Returns the checksums of pages. */
  static of(pages: Iterable<readonly [number: number, page: Uint8Array]>): PageChecksums {
    const checksums = new PageChecksums()
    for (const [number, page] of pages) checksums.set(number, page)
    return checksums
  }

  /** @throws StoreTooNew */
  static decode(path: string, bytes: Uint8Array): PageChecksums {
    const blocks = Math.ceil(bytes.length / blockBytes)
    const checksums = new PageChecksums(Math.max(1, blocks))
    for (let block = 0; block < blocks; block++) {
      const at = block * blockBytes
      const content = Buffer.from(bytes.subarray(at, at + blockBytes))
      if (content.length === blockBytes && content.readUInt32LE() === crcOf(content, block)) {
        checksums.#bytesOf(block).set(content)
      } else {
        checksums.#unknown.set(block, content)
        checksums.#unsaved.add(block)
      }
    }
    checksums.#hasFile = true
    const version = checksums.#words[wordOf(0)] ?? 0
    if (version > formatVersion) throw new StoreTooNew(path, version, formatVersion)
    checksums.#words[wordOf(0)] = formatVersion
    let end = blocks * perBlock
    while (end > 1 && checksums.#words[wordOf(end - 1)] === 0) end--
    checksums.#end = Math.max(1, end)
    return checksums
  }

  /** The content of the file, valid until the next change. */
  encode(): Buffer {
    for (const block of this.#unsaved) this.#encodeBlock(block)
    return Buffer.from(this.#words.buffer, 0, Math.ceil(this.#end / perBlock) * blockBytes)
  }

  /** Whether the file is there, and has all blocks but the unsaved ones. */
  get hasFile(): boolean {
    return this.#hasFile
  }

  /** Yields the unsaved blocks and their places in the file. */
  *unsaved(): Generator<{ readonly position: number; readonly bytes: Buffer }> {
    for (const block of this.#unsaved) {
      yield { position: block * blockBytes, bytes: this.#encodeBlock(block) }
    }
  }

  /** Call it when the file has the content on disk. */
  noteSaved(): void {
    this.#unsaved.clear()
    this.#hasFile = true
  }

  #encodeBlock(block: number): Buffer {
    const bytes = this.#bytesOf(block)
    bytes.writeUInt32LE(crcOf(bytes, block))
    return bytes
  }

  #bytesOf(block: number): Buffer {
    return Buffer.from(this.#words.buffer, block * blockBytes, blockBytes)
  }

  /** Whether a block of the file was damaged. */
  get hasUnknown(): boolean {
    return this.#unknown.size > 0
  }

  /** Number of the last page that has a checksum. */
  get lastPage(): number {
    return this.#end - 1
  }

  /** Recomputes the checksums of damaged blocks from pages that were verified in another way. */
  learn(pages: Iterable<readonly [number: number, page: Uint8Array]>): void {
    for (const [number, page] of pages) if (this.#isUnknown(number)) this.set(number, page)
    this.#unknown.clear()
  }

  /**
   * Sets the checksums of an unfinished checkpoint, which may have torn the blocks of its pages. The other pages of such a block keep
   * their checksums; the block is trusted again if all of these match.
   * @param read returns a page of the database file, unchecked
   */
  finish(pages: Pages, read: (number: number) => Uint8Array): void {
    const torn = new Set([...pages.keys()].map(blockOf).filter((block) => this.#unknown.has(block)))
    for (const block of torn) {
      const bytes = this.#unknown.get(block)
      if (bytes?.length !== blockBytes || !matchesOthers(bytes, block, pages, read)) continue
      this.#unknown.delete(block)
      this.#bytesOf(block).set(bytes)
      for (let at = perBlock; at > 0 && this.#end < (block + 1) * perBlock; at--) {
        if (bytes.readUInt32LE(4 * at) !== 0) this.#end = Math.max(this.#end, block * perBlock + at)
      }
    }
    for (const [number, page] of pages) this.set(number, page)
  }

  #isUnknown(number: number): boolean {
    return this.#unknown.has(blockOf(number))
  }

  /** Whether a page fails its checksum; false if the checksum is unknown. */
  differs(number: number, page: Uint8Array): boolean {
    if (this.#isUnknown(number)) return false
    return this.#words[wordOf(number)] !== stored(pageChecksum(page, number))
  }

  set(number: number, page: Uint8Array): void {
    this.put(number, pageChecksum(page, number))
  }

  /** @param checksum as `pageChecksum` returns it */
  put(number: number, checksum: number): void {
    const word = wordOf(number)
    if (word >= this.#words.length) {
      const blocks = Math.ceil(1.5 * (blockOf(number) + 1))
      const grown = new Uint32Array((blocks * blockBytes) / 4)
      grown.set(this.#words)
      this.#words = grown
    }
    if (this.#words[word] === stored(checksum)) return
    this.#words[word] = stored(checksum)
    // Blocks in between have changed, too.
    for (let block = blockOf(Math.min(number, this.#end)); block <= blockOf(number); block++)
      this.#unsaved.add(block)
    this.#end = Math.max(this.#end, number + 1)
  }
}

/** Whether the pages of a block match its checksums. Pages of the checkpoint are skipped. */
function matchesOthers(
  bytes: Buffer,
  block: number,
  pages: Pages,
  read: (number: number) => Uint8Array,
): boolean {
  for (let at = 0; at < perBlock; at++) {
    const number = block * perBlock + at
    const checksum = bytes.readUInt32LE(4 * (at + 1))
    if (number === 0 || checksum === 0 || pages.has(number)) continue
    try {
      if (checksum !== stored(pageChecksum(read(number), number))) return false
    } catch (error) {
      if (error instanceof StoreDamaged) return false
      throw error
    }
  }
  return true
}

function blockOf(number: number): number {
  return Math.floor(number / perBlock)
}

/** Returns where the checksum of a page is. */
function wordOf(number: number): number {
  return number + blockOf(number) + 1
}

/** Returns the CRC-32 of the rest of a block. */
function crcOf(bytes: Uint8Array, block: number): number {
  return crc32(bytes.subarray(4), block)
}

/** 0 stands for a page without a checksum. */
function stored(checksum: number): number {
  return checksum === 0 ? 1 : checksum
}

/** Reads the checksums of a data directory; undefined if there are none. @throws StoreTooNew */
export async function readChecksums(files: Files, dir: string): Promise<PageChecksums | undefined> {
  const path = join(dir, checksumsName)
  const bytes = await readIfThere(files, path)
  return bytes && PageChecksums.decode(path, bytes)
}

/**
 * Writes the changed blocks in their places. A crash may tear them, so the next start must know the pages that have changed: call it only
 * while there is a checkpoint of these.
 */
export async function saveChecksums(files: Files, dir: string, checksums: PageChecksums): Promise<void> {
  const path = join(dir, checksumsName)
  const file = checksums.hasFile
    ? await files.edit(path).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    : undefined
  if (!file) await replaceFile(files, path, checksums.encode())
  else {
    try {
      for (const { position, bytes } of checksums.unsaved()) await writeFully(file, bytes, position)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  checksums.noteSaved()
}
