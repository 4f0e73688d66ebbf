/** Limits pages of records by size. */

/** Bytes of records in a page: a record may have a megabyte. */
const maxBytes = 2_000_000

/** Returns the first `limit` items, fewer when they are large, but at least one. */
export function firstPage<T extends { readonly bytes: Uint8Array }>(found: readonly T[], limit: number): T[] {
  let bytes = 0
  return found.slice(0, limit).filter((item, index) => {
    bytes += item.bytes.length
    return index === 0 || bytes <= maxBytes
  })
}
