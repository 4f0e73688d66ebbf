/** Writes one record of a commit, and calls the listener. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import type { Writer } from '../store/database.ts'
import * as records from '../store/tables/records.ts'
import { iso } from '../util/time.ts'
import type { AfterCommit, RecordEvent, RecordListener } from './events.ts'
import { type PreparedRecord, withCanonicalTypes } from './prepare.ts'
import { recordUri } from './record-uri.ts'

/** A record to write, or the key of one to delete. */
export type RecordChange =
  | PreparedRecord
  | { readonly collection: NsidString; readonly rkey: RecordKeyString }

interface Deps {
  readonly aliases: Aliases
  readonly now: () => Date
  readonly listener: RecordListener
}

/** Creates, replaces or deletes a record. Deleting a missing record does nothing. */
export function writeRecord(
  { aliases, now, listener }: Deps,
  tx: Writer,
  did: DidString,
  change: RecordChange,
): AfterCommit | undefined {
  const { collection, rkey } = change
  const at = iso(now())
  const event = (version: Pick<RecordEvent, 'cid' | 'bytes' | 'record'>): RecordEvent => ({
    did,
    collection: canonicalNsid(collection, aliases),
    rkey,
    uri: recordUri(did, collection, rkey),
    at,
    ...version,
  })
  const stored = records.find(tx, did, collection, rkey)
  const record = stored && (withCanonicalTypes(decode(stored.bytes), aliases) as LexMap)
  const previous = stored && record && event({ cid: stored.cid, bytes: stored.bytes, record })
  if (previous) records.remove(tx, did, collection, rkey)
  if (!('bytes' in change)) return previous && listener.recordDeleted(tx, previous)
  const { cid, bytes, blobs, canonical } = change
  records.insert(tx, { did, collection, rkey, cid, bytes, indexedAt: at }, blobs)
  const next = event({ cid, bytes, record: canonical })
  return previous ? listener.recordUpdated(tx, next, previous) : listener.recordCreated(tx, next)
}
