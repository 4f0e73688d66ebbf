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
  const start = 2 + copyBytes * bytes.readUInt16LE()
  const kept = bytes.subarray(start)
  if (start === 2) return kept
  const copies = new Uint16Array(Uint8Array.from(bytes.subarray(2, start)).buffer)
  let size = kept.length
  for (let copy = 0; copy < copies.length; copy += 3) size += copies[copy + 2] as number
  const restored = Buffer.allocUnsafe(size)
  // The kept bytes move from the end to their places, and the copies fill the space between.
  let next = size - kept.length
  restored.set(kept, next)
  let end = 0
  for (let copy = 0; copy < copies.length; copy += 3) {
    const at = copies[copy] as number
    const from = copies[copy + 1] as number
    restored.copyWithin(end, next, next + at - end)
    next += at - end
    end = at + (copies[copy + 2] as number)
    restored.copyWithin(at, from, from + end - at)
  }
  return restored
}
