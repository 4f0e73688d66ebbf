/** A page of the database, and its checksum. */
import { crc32 } from 'node:zlib'

/** The size of every page, which this program gives to its databases. */
export const pageBytes = 4096

/** Pages by their number. The first one is 1. */
export type Pages = ReadonlyMap<number, Uint8Array>

/** Returns the checksum of a page. Its number is part of it: a page in another's place fails its check. */
export function pageChecksum(page: Uint8Array, number: number): number {
  return crc32(page, number)
}
