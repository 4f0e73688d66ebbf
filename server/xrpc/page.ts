/** Pages of records. */

/** What a client gets at once, in bytes of records: some kinds of them may have a megabyte each. */
const maxBytes = 2_000_000

/** The first of what was found: as many as asked for, fewer when they are large, and never none. */
export function firstPage<T extends { readonly bytes: Uint8Array }>(found: readonly T[], limit: number): T[] {
  let bytes = 0
  return found.slice(0, limit).filter((item, index) => {
    bytes += item.bytes.length
    return index === 0 || bytes <= maxBytes
  })
}
