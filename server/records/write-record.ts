/** Writes one record of a commit, and calls the listener. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import type { Writer } from '../store/database.ts'
import { findByHandle } from '../store/tables/accounts.ts'
import * as records from '../store/tables/records.ts'
import { iso } from '../util/time.ts'
import type { AfterCommit, RecordEvent, RecordListener } from './events.ts'
import { linksOf } from './links.ts'
import { type PreparedRecord, withCanonicalTypes } from './prepare.ts'
import { recordUri } from './record-uri.ts'
import { subjectReader } from './subjects.ts'

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
  const canonicalCollection = canonicalNsid(collection, aliases)
  const read = subjectReader((handle) => findByHandle(tx, handle)?.did, aliases)
  const event = (version: Pick<RecordEvent, 'id' | 'cid' | 'bytes' | 'record'>): RecordEvent => ({
    did,
    collection: canonicalCollection,
    rkey,
    uri: recordUri(did, collection, rkey),
    links: linksOf(canonicalCollection, version.record, read),
    at,
    ...version,
  })
  const stored = records.find(tx, did, collection, rkey)
  const record = stored && (withCanonicalTypes(decode(stored.bytes), aliases) as LexMap)
  const previous = stored && record && event({ id: stored.id, cid: stored.cid, bytes: stored.bytes, record })
  if (!('bytes' in change)) {
    if (!previous) return undefined
    records.remove(tx, did, collection, rkey)
    return listener.recordDeleted(tx, previous)
  }
  const { cid, bytes, blobs, canonical } = change
  if (previous) {
    records.update(tx, { id: previous.id, cid, bytes, indexedAt: at }, blobs)
    return listener.recordUpdated(tx, event({ id: previous.id, cid, bytes, record: canonical }), previous)
  }
  const id = records.insert(tx, { did, collection, rkey, cid, bytes, indexedAt: at }, blobs)
  return listener.recordCreated(tx, event({ id, cid, bytes, record: canonical }))
}
