/** Writes one changed record of a commit, and calls the listener. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import type { DidString } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import type { Writer } from '../../store/database.ts'
import { findByHandle } from '../../store/tables/accounts.ts'
import { iso } from '../../util/time.ts'
import * as omitted from '../tables/omitted-records.ts'
import * as records from '../tables/records.ts'
import type { RecordChange } from './draft.ts'
import { linksOf } from './links.ts'
import type { AfterCommit, RecordEvent, RecordListener } from './record-events.ts'
import { recordUri } from './record-uri.ts'
import { withOwnTypes } from './rename.ts'
import { subjectReader } from './subjects.ts'

interface Deps extends Pick<Platform, 'names' | 'now'> {
  readonly listener: RecordListener
}

export function writeRecord(
  { names, now, listener }: Deps,
  tx: Writer,
  did: DidString,
  { before: earlier, after }: RecordChange,
): AfterCommit | undefined {
  const at = iso(now())
  const read = subjectReader((handle) => findByHandle(tx, handle)?.did, names)
  const event = (
    {
      id,
      collection,
      rkey,
      cid,
      bytes,
    }: Pick<records.StoredRecord, 'id' | 'collection' | 'rkey' | 'cid' | 'bytes'>,
    record: LexMap,
  ): RecordEvent => ({
    id,
    did,
    collection: names.own(collection),
    rkey,
    uri: recordUri(did, collection, rkey),
    cid,
    bytes,
    record,
    links: linksOf(names.own(collection), record, read),
    at,
  })
  // Nothing was derived from a record that the index omits.
  if (earlier && earlier.id === undefined) omitted.remove(tx, did, earlier)
  const before = earlier?.id === undefined ? undefined : earlier
  const previous = before && event(before, withOwnTypes(decode(before.bytes) as LexMap, names))
  if (!after) {
    if (!before || !previous) return undefined
    records.remove(tx, before.id)
    return listener.recordDeleted(tx, previous)
  }
  const { collection, rkey, cid, bytes, blobs, own } = after
  const content = { did, collection, rkey, cid, bytes, indexedAt: at }
  if (before && previous) {
    records.update(tx, before.id, content, blobs)
    return listener.recordUpdated(tx, event({ ...after, id: before.id }, own), previous)
  }
  const id = records.insert(tx, content, blobs)
  return listener.recordCreated(tx, event({ ...after, id }, own))
}
