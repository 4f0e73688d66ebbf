/** A file that a move could not copy, with its description by a record here. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { type DidString, isValidNsid, isValidRecordKey } from '@atproto/syntax'
import { blobRefsIn } from '../../repository/blobs/references.ts'
import { recordUri } from '../../repository/records/record-uri.ts'
import { find } from '../../repository/tables/records.ts'
import type { Reader } from '../../store/database.ts'
import type { MissingFile } from '../tables/missing-media.ts'

/** @param did the account, whose records are here in both directions of a move */
export function missingFileView(db: Reader, did: DidString, { cid, record, reason }: MissingFile) {
  // The other server names the record: it can be anything.
  const [scheme, , repo, collection, rkey, ...rest] = (record ?? '').split('/')
  const isRecord =
    scheme === 'at:' && repo === did && isValidNsid(collection) && isValidRecordKey(rkey) && rest.length === 0
  if (!isRecord) return { cid, reason }
  const stored = find(db, did, collection, rkey)
  const refs = stored ? blobRefsIn(decode(stored.bytes) as LexMap) : []
  const { mimeType, size } = [...refs].find((ref) => ref.cid === cid) ?? {}
  return { cid, reason, record: recordUri(did, collection, rkey), mimeType, size }
}
