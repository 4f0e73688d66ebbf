/** Renders records for responses. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { lexToJson } from '@atproto/lex-json'
import type { StoredRecord } from '../tables/records.ts'
import { recordUri } from './record-uri.ts'

export function recordView(record: StoredRecord) {
  const { did, collection, rkey, cid, bytes } = record
  return { uri: recordUri(did, collection, rkey), cid, value: recordJson(bytes) }
}

/** Decodes a stored record to JSON, with `$link` and `$bytes`. */
export function recordJson(bytes: Uint8Array): LexMap {
  return lexToJson(decode(bytes)) as LexMap
}
