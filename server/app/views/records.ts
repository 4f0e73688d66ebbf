/** Reads records for views. Records may be stored without validation: an invalid one counts as none. */
import { decode } from '@atproto/lex-cbor'
import { decodeCid, type LexMap } from '@atproto/lex-data'
import type { l } from '@atproto/lex-schema'
import type { AtUriString, DidString } from '@atproto/syntax'
import { LRUCache } from 'lru-cache'
import type { Names } from '../../platform/config/aliases.ts'
import type { RecordRow } from '../../platform/store/tables/graph.ts'
import { type DatetimeString, iso } from '../../platform/util/time.ts'
import { recordUri } from '../../repository/records/record-uri.ts'
import { withOwnTypes } from '../../repository/records/rename.ts'
import { recordJson } from '../../repository/records/view.ts'

/** A valid record, as views refer to it. */
export interface ViewRecord<T> {
  readonly id: number
  /** Actor id of the author. */
  readonly actor: number
  readonly did: DidString
  readonly uri: AtUriString
  readonly cid: string
  readonly indexedAt: DatetimeString
  /** DAG-CBOR of the record as it is stored. */
  readonly bytes: Uint8Array
  /** With our `$type`s. */
  readonly value: T
}

export interface RecordReader {
  /** Returns a decoded record; undefined if it violates the lexicon. Decoded records are cached by lexicon and CID. */
  read<S extends l.RecordSchema>(schema: S, row: RecordRow): ViewRecord<l.InferOutput<S>> | undefined
}

/** Encoded bytes of the records in the cache. Decoded, they take about ten times as much. */
const maxBytes = 1_000_000

export function createRecordReader(names: Names): RecordReader {
  const cache = new LRUCache<string, { cid: string; value: unknown }>({ maxSize: maxBytes })

  function decoded(schema: l.RecordSchema, cid: Uint8Array, bytes: Uint8Array) {
    // The same bytes may be stored in several collections, and be valid in one.
    const key = schema.$type + Buffer.from(cid.buffer, cid.byteOffset, cid.byteLength).toString('latin1')
    const cached = cache.get(key)
    if (cached) return cached
    const result = schema.safeValidate(withOwnTypes(decode(bytes) as LexMap, names))
    const entry = { cid: decodeCid(cid).toString(), value: result.success ? result.value : undefined }
    cache.set(key, entry, { size: bytes.length + 1 })
    return entry
  }

  return {
    read<S extends l.RecordSchema>(schema: S, row: RecordRow) {
      const { id, actor, did, collection, rkey, bytes, indexedAt } = row
      const { cid, value } = decoded(schema, row.cid, bytes)
      if (value === undefined) return undefined
      const shown = { uri: recordUri(did, collection, rkey), cid, indexedAt: iso(new Date(indexedAt)) }
      return { id, actor, did, ...shown, bytes, value: value as l.InferOutput<S> }
    },
  }
}

const jsons = new WeakMap<object, LexMap>()

/** Returns the JSON of a record as it is stored, which is cached as long as its value. */
export function jsonOf({ value, bytes }: ViewRecord<object>): LexMap {
  const json = jsons.get(value) ?? recordJson(bytes)
  jsons.set(value, json)
  return json
}
