/** Writes one changed record of a commit, and calls the listener. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import type { DidString } from '@atproto/syntax'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import type { Writer } from '../store/database.ts'
import * as records from '../store/tables/records.ts'
import { iso } from '../util/time.ts'
import type { RecordChange } from './draft.ts'
import type { AfterCommit, RecordEvent, RecordListener } from './events.ts'
import { withCanonicalTypes } from './prepare.ts'
import { recordUri } from './record-uri.ts'

interface Deps {
  readonly aliases: Aliases
  readonly now: () => Date
  readonly listener: RecordListener
}

export function writeRecord(
  { aliases, now, listener }: Deps,
  tx: Writer,
  did: DidString,
  { before, after }: RecordChange,
): AfterCommit | undefined {
  const at = iso(now())
  const event = (
    { collection, rkey, cid, bytes }: NonNullable<RecordChange['before' | 'after']>,
    record: LexMap,
  ): RecordEvent => ({
    did,
    collection: canonicalNsid(collection, aliases),
    rkey,
    uri: recordUri(did, collection, rkey),
    cid,
    bytes,
    record,
    at,
  })
  const previous = before && event(before, withCanonicalTypes(decode(before.bytes), aliases) as LexMap)
  if (before) records.remove(tx, did, before.collection, before.rkey)
  if (!after) return previous && listener.recordDeleted(tx, previous)
  const { collection, rkey, cid, bytes, blobs, canonical } = after
  records.insert(tx, { did, collection, rkey, cid, bytes, indexedAt: at }, blobs)
  const next = event(after, canonical)
  return previous ? listener.recordUpdated(tx, next, previous) : listener.recordCreated(tx, next)
}
