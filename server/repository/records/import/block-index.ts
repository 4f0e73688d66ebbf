/**
 * Positions of blocks in an archive, by CID: a hash table in typed arrays, which takes about 40 bytes a block where a Map of texts
 * takes 200. It holds no CIDs: the caller compares the CID at the position.
 */
import { randomInt } from '../../../util/random.ts'

/** Where the digest of a CID begins. Four bytes of it are the hash: many digests that share them are too much work to find. */
const hashOffset = 4

export interface BlockIndex {
  /** Adds a block. @param position where its CID begins. @param length of its content, in bytes */
  add(cid: Uint8Array, position: number, length: number): void
  /** Yields the blocks whose digest begins like that of the CID. */
  candidates(cid: Uint8Array): Iterable<{ readonly position: number; readonly length: number }>
}

export function createBlockIndex(): BlockIndex {
  let capacity = 1024
  let size = 0
  /** Mixes the hash, so that the slots of chosen digests cannot be foreseen. */
  const factor = randomInt(2 ** 31) * 2 + 1
  const slotOf = (hash: number) => Math.imul(hash, factor) >>> (32 - Math.log2(capacity))
  let hashes = new Uint32Array(capacity)
  /** Plus one: 0 is a free slot. */
  let positions = new Float64Array(capacity)
  let lengths = new Uint32Array(capacity)

  const put = (hash: number, position: number, length: number): void => {
    let slot = slotOf(hash)
    while (positions[slot] !== 0) slot = (slot + 1) & (capacity - 1)
    hashes[slot] = hash
    positions[slot] = position
    lengths[slot] = length
  }

  const grow = (): void => {
    const old = { hashes, positions, lengths }
    capacity *= 2
    hashes = new Uint32Array(capacity)
    positions = new Float64Array(capacity)
    lengths = new Uint32Array(capacity)
    for (const [slot, position] of old.positions.entries()) {
      if (position !== 0) put(old.hashes[slot] ?? 0, position, old.lengths[slot] ?? 0)
    }
  }

  return {
    add(cid, position, length) {
      if (++size > capacity * 0.7) grow()
      put(hashOf(cid), position + 1, length)
    },
    *candidates(cid) {
      const hash = hashOf(cid)
      for (let slot = slotOf(hash); positions[slot] !== 0; slot = (slot + 1) & (capacity - 1)) {
        if (hashes[slot] === hash) {
          yield { position: (positions[slot] ?? 0) - 1, length: lengths[slot] ?? 0 }
        }
      }
    },
  }
}

function hashOf(cid: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = cid.subarray(hashOffset)
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
}
