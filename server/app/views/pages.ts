/** Pages of views: their cursors are the ids of records, which grow with the time of the write. */
import { decodeCursor, encodeCursor } from '../../platform/xrpc/cursor.ts'
import { protocolError } from '../../platform/xrpc/errors.ts'

export interface Page {
  /** Items come before this record id; undefined on the first page. */
  readonly before: number | undefined
  readonly limit: number
}

/** Reads the page parameters of a method. @throws InvalidRequest */
export function readPage({ cursor, limit }: { cursor?: string | undefined; limit: number }): Page {
  return { before: readNumber(cursor), limit }
}

/** Reads the number of a cursor. @throws InvalidRequest */
export function readNumber(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const number = Number(decodeCursor(cursor, 1)?.[0])
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw protocolError('InvalidRequest', 'Malformed cursor')
}

export function cursorOf(number: number | undefined): string | undefined {
  return number === undefined ? undefined : encodeCursor(String(number))
}

/** Takes a page of items. @param read returns items from the newest to the oldest, at most `limit` */
export function takePage<T>(
  { before, limit }: Page,
  read: (page: { before: number | undefined; limit: number }) => readonly T[],
  keyOf: (item: T) => number,
): { items: readonly T[]; cursor: string | undefined } {
  const found = read({ before, limit: limit + 1 })
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1) : undefined
  return { items, cursor: cursorOf(last && keyOf(last)) }
}
