/**
 * The checksums of pages, as they are in memory and in `pds.sqlite.pages`: blocks of 4096 bytes, each with a CRC-32 of the rest of the
 * block and 1023 checksums, little-endian. The first entry, which belongs to no page, is the version of the format.
 */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { StoreTooNew } from '../errors.ts'
import { type Files, readIfThere } from '../files.ts'
import { checksumsName } from '../layout.ts'
import { pageChecksum } from './page-file.ts'

const formatVersion = 1
const blockBytes = 4096
const perBlock = blockBytes / 4 - 1

export class PageChecksums {
  #entries: Uint32Array
  /** Pages with a number below this one may have a checksum. */
  #end = 1
  /** Blocks that were damaged when they were read: nothing is known about their pages. */
  readonly #unknown: Set<number>

  constructor(entries = new Uint32Array(perBlock), unknown: readonly number[] = []) {
    this.#entries = entries
    this.#end = Math.max(1, entries.findLastIndex((entry) => entry !== 0) + 1)
    this.#unknown = new Set(unknown)
  }

  /** Returns the checksums of pages. */
  static of(pages: Iterable<readonly [number: number, page: Uint8Array]>): PageChecksums {
    const checksums = new PageChecksums()
    for (const [number, page] of pages) checksums.set(number, page)
    return checksums
  }

  /** @throws StoreTooNew */
  static decode(path: string, bytes: Uint8Array): PageChecksums {
    const { buffer, byteOffset } = bytes
    const blocks = Math.ceil(bytes.length / blockBytes)
    const entries = new Uint32Array(Math.max(1, blocks) * perBlock)
    const unknown: number[] = []
    for (let block = 0; block < blocks; block++) {
      const at = block * blockBytes
      const content = bytes.subarray(at + 4, at + blockBytes)
      const view = new DataView(buffer, byteOffset + at, Math.min(blockBytes, bytes.length - at))
      const isIntact = view.byteLength === blockBytes && view.getUint32(0, true) === crc32(content, block)
      if (!isIntact) unknown.push(block)
      for (let i = 0; isIntact && i < perBlock; i++)
        entries[block * perBlock + i] = view.getUint32(4 * (i + 1), true)
    }
    const version = entries[0] ?? 0
    if (version > formatVersion) throw new StoreTooNew(path, version, formatVersion)
    entries[0] = 0
    return new PageChecksums(entries, unknown)
  }

  /** The content of the file. */
  encode(): Buffer {
    const blocks = Math.ceil(this.#end / perBlock)
    const bytes = Buffer.alloc(blocks * blockBytes)
    for (let entry = 0; entry < this.#end; entry++) {
      const block = Math.floor(entry / perBlock)
      const value = entry === 0 ? formatVersion : (this.#entries[entry] ?? 0)
      bytes.writeUInt32LE(value, block * blockBytes + 4 * (1 + (entry % perBlock)))
    }
    for (let block = 0; block < blocks; block++) {
      const at = block * blockBytes
      bytes.writeUInt32LE(crc32(bytes.subarray(at + 4, at + blockBytes), block), at)
    }
    return bytes
  }

  /** Whether a block of the file was damaged. */
  get hasUnknown(): boolean {
    return this.#unknown.size > 0
  }

  /** Number of the last page that has a checksum. */
  get lastPage(): number {
    return this.#end - 1
  }

  /** Learns the checksums of damaged blocks from pages that were checked in another way. */
  learn(pages: Iterable<readonly [number: number, page: Uint8Array]>): void {
    for (const [number, page] of pages) if (this.#isUnknown(number)) this.set(number, page)
    this.#unknown.clear()
  }

  #isUnknown(number: number): boolean {
    return this.#unknown.has(Math.floor(number / perBlock))
  }

  /** Whether a page is known to be another one. */
  differs(number: number, page: Uint8Array): boolean {
    if (this.#isUnknown(number)) return false
    return this.#entries[number] !== stored(pageChecksum(page, number))
  }

  set(number: number, page: Uint8Array): void {
    this.put(number, pageChecksum(page, number))
  }

  /** @param checksum as `pageChecksum` returns it */
  put(number: number, checksum: number): void {
    if (number >= this.#entries.length) {
      const grown = new Uint32Array(Math.max(number + perBlock, 1.5 * this.#entries.length))
      grown.set(this.#entries)
      this.#entries = grown
    }
    this.#entries[number] = stored(checksum)
    this.#end = Math.max(this.#end, number + 1)
  }
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
