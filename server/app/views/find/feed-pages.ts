/** Cursors of feeds: the position after the last entry of a page. */
import { decodeCursor, encodeCursor } from '../../../platform/xrpc/cursor.ts'
import { protocolError } from '../../../platform/xrpc/xrpc-errors.ts'
import * as feed from '../../tables/feed.ts'

/** Reads the page parameters of a method. @throws InvalidRequest */
export function readFeedPage({ limit, cursor }: { limit: number; cursor?: string | undefined }) {
  return { limit, before: cursor === undefined ? feed.newest : positionOf(cursor) }
}

export function feedCursor({ sortAt, record }: feed.FeedPosition): string {
  return encodeCursor(String(sortAt), String(record))
}

function positionOf(cursor: string): feed.FeedPosition {
  const [sortAt = Number.NaN, record = Number.NaN] = decodeCursor(cursor, 2)?.map(Number) ?? []
  if (Number.isSafeInteger(sortAt) && Number.isSafeInteger(record)) return { sortAt, record }
  throw protocolError('InvalidRequest', 'Malformed cursor')
}
