/** Writes one changed record of a commit, and calls the listener. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import type { DidString } from '@atproto/syntax'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import type { Writer } from '../store/database.ts'
import { findByHandle } from '../store/tables/accounts.ts'
import * as records from '../store/tables/records.ts'
import { iso } from '../util/time.ts'
import type { RecordChange } from './draft.ts'
import type { AfterCommit, RecordEvent, RecordListener } from './events.ts'
import { linksOf } from './links.ts'
import { withCanonicalTypes } from './prepare.ts'
import { recordUri } from './record-uri.ts'
import { subjectReader } from './subjects.ts'

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
  const read = subjectReader((handle) => findByHandle(tx, handle)?.did, aliases)
  const event = (
    id: number,
    { collection, rkey, cid, bytes }: NonNullable<RecordChange['before' | 'after']>,
    record: LexMap,
  ): RecordEvent => {
    const canonical = canonicalNsid(collection, aliases)
    const uri = recordUri(did, collection, rkey)
    const links = linksOf(canonical, record, read)
    return { id, did, collection: canonical, rkey, uri, cid, bytes, record, links, at }
  }
  const previous =
    before && event(before.id, before, withCanonicalTypes(decode(before.bytes), aliases) as LexMap)
  if (!after) {
    if (!previous) return undefined
    records.remove(tx, previous.id)
    return listener.recordDeleted(tx, previous)
  }
  const { collection, rkey, cid, bytes, blobs, canonical } = after
  if (previous) {
    records.update(tx, { id: previous.id, collection, cid, bytes, indexedAt: at }, blobs)
    return listener.recordUpdated(tx, event(previous.id, after, canonical), previous)
  }
  const id = records.insert(tx, { did, collection, rkey, cid, bytes, indexedAt: at }, blobs)
  return listener.recordCreated(tx, event(id, after, canonical))
}
