/** Reads CAR files (version 1) in memory. They may come from anyone. */
import { hash } from 'node:crypto'
import { ifCid } from '@atproto/lex-data'
import { cidKey } from '../../util/cid.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import { decodeMap } from './decode-map.ts'

/** A block of a CAR file. */
export interface CarBlock {
  readonly cid: Buffer
  readonly bytes: Buffer
}

/** The file is damaged. */
export class InvalidCar extends Error {
  override name = 'InvalidCar'
}

/** Bytes that a block of another server may have: a record may have 1 MiB, and nodes of trees are much smaller. */
export const maxBlockBytes = 1024 * 1024

/** Bytes of the header of a file, which names its roots. */
const maxHeaderBytes = 10_000

/** Blocks of a file in memory: commits have some hundreds. Each takes many times its bytes. */
const maxBlocks = 20_000
/** Blocks that are read in one turn of the event loop. */
const sliceBlocks = 1000

/** Bytes of a CID of a repository. */
export const cidLength = 36

/**
 * Reads the blocks of a file in slices, without verifying their hashes.
 * @param wanted keys of the blocks to read; all by default
 * @returns the blocks by `cidKey`
 * @throws InvalidCar
 */
export async function readBlocks(car: Buffer, wanted?: ReadonlySet<string>): Promise<Map<string, CarBlock>> {
  const blocks = new Map<string, CarBlock>()
  if (hasTooManyBlocks(car)) throw new InvalidCar('The file has too many blocks')
  let count = 0
  for (const block of blocksIn(car)) {
    if (++count % sliceBlocks === 0) await yieldToEventLoop()
    const key = cidKey(block.cid)
    if (!wanted || wanted.has(key)) blocks.set(key, block)
  }
  return blocks
}

function hasTooManyBlocks(car: Buffer): boolean {
  let count = 0
  for (let at = sectionAt(car, 0).end; at < car.length && count <= maxBlocks; count++)
    at = sectionAt(car, at).end
  return count > maxBlocks
}

function* blocksIn(car: Buffer): Generator<CarBlock, void> {
  for (let at = sectionAt(car, 0).end; at < car.length; ) {
    const { start, end } = sectionAt(car, at)
    if (end - start < cidLength) throw new InvalidCar('A block has no CID')
    yield { cid: car.subarray(start, start + cidLength), bytes: car.subarray(start + cidLength, end) }
    at = end
  }
}

/**
 * Returns the CID of the root, where readers begin.
 * @throws InvalidCar
 */
export function rootOf(car: Buffer): Uint8Array {
  const { start, end } = sectionAt(car, 0)
  if (end - start > maxHeaderBytes) throw new InvalidCar('The header is too large')
  const { version, roots } = decodeMap(car.subarray(start, end)) ?? {}
  const root = Array.isArray(roots) ? ifCid(roots[0]) : undefined
  if (version !== 1 || !root) throw new InvalidCar('The header is not one of version 1 with a root')
  return root.bytes
}

/** Whether a CID is one of repositories: version 1, DAG-CBOR or raw bytes, SHA-256. */
export function isRepositoryCid(cid: Uint8Array): boolean {
  const [version, codec, algorithm, length] = cid
  return version === 1 && (codec === 0x71 || codec === 0x55) && algorithm === 0x12 && length === 32
}

/** Whether the content of a block has the hash in its CID. */
export function isIntact({ cid, bytes }: CarBlock): boolean {
  return isRepositoryCid(cid) && hash('sha256', bytes, 'buffer').equals(cid.subarray(4))
}

/**
 * Returns where the section at `at` begins, after its length (unsigned LEB128), and where it ends.
 * @throws InvalidCar
 */
function sectionAt(car: Buffer, at: number): { start: number; end: number } {
  let length = 0
  for (let index = 0; index < 4; index++) {
    const byte = car[at + index]
    if (byte === undefined) break
    length += (byte & 0x7f) * 128 ** index
    if (byte >= 0x80) continue
    const start = at + index + 1
    if (length === 0 || start + length > car.length) break
    return { start, end: start + length }
  }
  throw new InvalidCar('The file is incomplete')
}
