/**
 * Reads archives of repositories: CAR files (version 1), which may come from anyone. The content stays in the file; memory holds
 * the position of each block. Reads block, because a worker thread calls this.
 */
import { ifCid } from '@atproto/lex-data'
import type { Files, ReadableFile } from '../../../store/files/files.ts'
import { decodeMap } from '../../format/decode-map.ts'
import { cidLength, isIntact, isRepositoryCid, maxBlockBytes } from '../../format/read-car.ts'
import { createBlockIndex } from './block-index.ts'
import { InvalidArchive } from './invalid-archive.ts'

export interface Archive {
  /** CID of the root. */
  readonly root: Uint8Array
  /** Bytes of its blocks, without repeated ones. */
  readonly size: number
  /** Returns the content of a block, valid until the next call; undefined if the archive does not have it. */
  read(cid: Uint8Array): Buffer | undefined
  close(): Promise<void>
}

/** The header names one root. */
const maxHeaderBytes = 1024
/** About 1.5 million records with the nodes of their tree: their positions take 80 MB. */
const maxBlocks = 2_000_000
const chunkBytes = 1024 * 1024

/**
 * Opens an archive, and verifies the hash of each block.
 * @throws InvalidArchive
 */
export async function openArchive(files: Files, path: string): Promise<Archive> {
  const file = await files.open(path)
  try {
    const input = createInput(file)
    const root = readHeader(input)
    const index = createBlockIndex()
    const block = Buffer.allocUnsafe(cidLength + maxBlockBytes)
    const read = (cid: Uint8Array): Buffer | undefined => {
      for (const { position, length } of index.candidates(cid)) {
        file.readBlocking(block.subarray(0, cidLength + length), position)
        if (block.subarray(0, cidLength).equals(cid)) return block.subarray(cidLength, cidLength + length)
      }
      return undefined
    }
    let size = 0
    for (let blocks = 0; !input.isAtEnd(); blocks++) {
      if (blocks === maxBlocks) throw new InvalidArchive(`The archive has more than ${maxBlocks} blocks`)
      const { cid, position, length } = readBlock(input)
      // Archives may repeat blocks.
      if (read(cid)) continue
      index.add(cid, position, length)
      size += length
    }
    return { root, size, read, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** A file that is read from its start to its end. */
interface Input {
  /** Position of the next byte. */
  readonly position: number
  isAtEnd(): boolean
  /** Returns the next bytes, valid until the next call. @throws InvalidArchive when the file ends before */
  take(bytes: number): Buffer
}

function createInput(file: ReadableFile): Input {
  // Whole blocks fit, with their headers.
  const buffer = Buffer.allocUnsafe(chunkBytes + maxBlockBytes)
  let start = 0
  let end = 0
  let position = 0
  const fill = (): void => {
    buffer.copyWithin(0, start, end)
    end -= start
    start = 0
    end += file.readBlocking(buffer.subarray(end), position + end)
  }
  return {
    get position() {
      return position
    },
    isAtEnd() {
      if (start === end) fill()
      return start === end
    },
    take(bytes) {
      if (end - start < bytes) fill()
      if (end - start < bytes) throw new InvalidArchive('The archive is incomplete')
      start += bytes
      position += bytes
      return buffer.subarray(start - bytes, start)
    },
  }
}

function readHeader(input: Input): Uint8Array {
  const length = readLength(input, maxHeaderBytes)
  const header = decodeMap(input.take(length)) ?? {}
  const roots = Array.isArray(header.roots) ? header.roots : []
  const root = ifCid(roots[0])
  if (header.version !== 1 || roots.length !== 1 || !root) {
    throw new InvalidArchive('The archive must be a CAR file of version 1 with one root')
  }
  return Buffer.from(root.bytes)
}

/** Reads and verifies a block. Returns its CID and its position, where the CID begins, and the length of its content. */
function readBlock(input: Input): { cid: Uint8Array; position: number; length: number } {
  const length = readLength(input, cidLength + maxBlockBytes)
  const { position } = input
  const block = input.take(length)
  const cid = block.subarray(0, cidLength)
  const bytes = block.subarray(cidLength)
  if (!isRepositoryCid(cid)) {
    throw new InvalidArchive('The archive has a block whose CID is not of a repository')
  }
  if (!isIntact({ cid, bytes })) {
    throw new InvalidArchive('The archive is damaged: a block does not match its CID')
  }
  return { cid, position, length: bytes.length }
}

/** Reads a varint (unsigned LEB128). */
function readLength(input: Input, max: number): number {
  let value = 0
  for (let shift = 0; shift < 28; shift += 7) {
    const [byte = 0] = input.take(1)
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) {
      if (value === 0 || value > max) break
      return value
    }
  }
  throw new InvalidArchive(`The archive has a block that is empty or has more than ${maxBlockBytes} bytes`)
}
