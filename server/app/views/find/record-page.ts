/** Pages of an actor's records in one collection, the newest first. Their cursor is the record key of the last record. */
import { isValidRecordKey } from '@atproto/syntax'
import type { RecordRow } from '../../../federation/tables/graph.ts'
import { protocolError } from '../../../platform/xrpc/xrpc-errors.ts'
import * as viewRecords from '../../tables/view-records.ts'
import type { ViewContext } from '../load/context.ts'

/** @param collection our name of it. @throws InvalidRequest for a malformed cursor */
export function recordPage(
  { db, names }: ViewContext,
  actor: number,
  collection: string,
  { limit, cursor: before }: { limit: number; cursor?: string | undefined },
): { rows: RecordRow[]; cursor: string | undefined } {
  if (before !== undefined && !isValidRecordKey(before)) {
    throw protocolError('InvalidRequest', 'Malformed cursor')
  }
  const found = viewRecords.recordsOf(db, actor, names.stored(collection), { before, limit: limit + 1 })
  const rows = found.slice(0, limit)
  return { rows, cursor: found.length > limit ? rows.at(-1)?.rkey : undefined }
}
