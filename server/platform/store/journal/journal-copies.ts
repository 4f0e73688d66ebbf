/**
 * Shortens bytes that repeat longer parts of themselves: the rows of a transaction share CIDs and blocks.
 *
 * The result is the number of copies, the place, source and length of each, and the bytes that are no copies. Numbers take 16 bits,
 * little-endian.
 */

const copyBytes = 6
/** A shorter copy saves too little. */
const shortest = 16
/** Only these first bytes are searched: places have 16 bits, and the search takes half a millisecond. */
const searched = 0xffff
/** Maps a hash of four bytes to their last place plus 1. 0: none. */
const places = new Uint16Array(1 << 13)

/** Shortens bytes. `restore` returns them. */
export function shorten(bytes: Buffer): Buffer {
  const limit = Math.min(bytes.length, searched)
  const copies: number[] = []
  const kept: Buffer[] = []
  let end = 0
  places.fill(0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at + shortest <= limit; at++) {
    const hash = Math.imul(view.getInt32(at), 0x9e3779b1) >>> 19
    const from = (places[hash] ?? 0) - 1
    places[hash] = at + 1
    if (from < 0 || bytes[from] !== bytes[at] || bytes[from + shortest - 1] !== bytes[at + shortest - 1])
      continue
    let before = 0
    const behind = Math.min(at - end, from, at - from)
    while (before < behind && bytes[from - before - 1] === bytes[at - before - 1]) before++
    // A copy does not overlap its source.
    const most = Math.min(limit, at + (at - from) - before)
    let after = at
    while (after < most && bytes[after - at + from] === bytes[after]) after++
    const length = after - at + before
    if (length < shortest) continue
    copies.push(at - before, from - before, length)
    kept.push(bytes.subarray(end, at - before))
    end = after
    at = after - 1
  }
  const numbers = Uint16Array.of(copies.length / 3, ...copies)
  return Buffer.concat([Buffer.from(numbers.buffer), ...kept, bytes.subarray(end)])
}

/** Returns the bytes that were shortened. */
export function restore(bytes: Buffer): Buffer {
  const count = bytes.readUInt16LE()
  let kept = 2 + copyBytes * count
  if (count === 0) return bytes.subarray(kept)
  let size = bytes.length - kept
  for (let copy = 2; copy < kept; copy += copyBytes) size += bytes.readUInt16LE(copy + 4)
  const restored = Buffer.allocUnsafe(size)
  let end = 0
  for (let copy = 2; copy < 2 + copyBytes * count; copy += copyBytes) {
    const at = bytes.readUInt16LE(copy)
    const from = bytes.readUInt16LE(copy + 2)
    bytes.copy(restored, end, kept, kept + at - end)
    kept += at - end
    end = at + restored.copy(restored, at, from, from + bytes.readUInt16LE(copy + 4))
  }
  bytes.copy(restored, end, kept)
  return restored
}
