/** SQLite's list of free pages: see "The Freelist" of https://sqlite.org/fileformat2.html. */
import { StoreDamaged } from '../files/store-errors.ts'

/** Offset of the number of the first page of the list, in page 1. */
const firstAt = 32

/** Returns the numbers of the free pages that hold nothing: those that the list names. Ends at a damaged page of the list itself. */
export function freePages(read: (number: number) => Uint8Array): ReadonlySet<number> {
  const free = new Set<number>()
  const lists = new Set<number>()
  try {
    for (let list = numberAt(read(1), firstAt); list > 0 && !lists.has(list); ) {
      lists.add(list)
      const page = read(list)
      const count = Math.min(numberAt(page, 4), page.length / 4 - 2)
      for (let at = 0; at < count; at++) free.add(numberAt(page, 8 + 4 * at))
      list = numberAt(page, 0)
    }
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error
  }
  return free
}

function numberAt(page: Uint8Array, at: number): number {
  return Buffer.from(page.buffer, page.byteOffset, page.length).readUInt32BE(at)
}
