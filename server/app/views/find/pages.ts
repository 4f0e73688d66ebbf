/** Pages of views: their cursors are the ids of records, which grow with the time of the write. */
import { decodeCursor, encodeCursor } from '../../../platform/xrpc/cursor.ts'
import { protocolError } from '../../../platform/xrpc/xrpc-errors.ts'

interface Page {
  /** Items come before this record id; undefined on the first page. */
  readonly before: number | undefined
  readonly limit: number
}

/** The page parameters of a method. */
export interface PageParams {
  readonly cursor?: string | undefined
  readonly limit: number
}

type ReadItems<T> = (page: Page) => readonly T[]

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

/**
 * Takes a page of ids, or of items with the id of a record.
 * @param read returns items from the newest to the oldest, at most `limit`
 * @throws InvalidRequest for a malformed cursor
 */
export function takePage<T extends number | { readonly record: number }>(
  params: PageParams,
  read: ReadItems<T>,
) {
  return takePageBy(params, read, (item) => (typeof item === 'number' ? item : item.record))
}

/** Takes a page of items by another key. */
export function takePageBy<T>(
  { cursor, limit }: PageParams,
  read: ReadItems<T>,
  keyOf: (item: T) => number,
): { items: readonly T[]; cursor: string | undefined } {
  const found = read({ before: readNumber(cursor), limit: limit + 1 })
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1) : undefined
  return { items, cursor: cursorOf(last && keyOf(last)) }
}
