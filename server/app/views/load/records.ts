/** Reads records for views. Records may be stored without validation: an invalid one counts as none. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { lexToJson } from '@atproto/lex-json'
import type { l } from '@atproto/lex-schema'
import type { AtUriString, DidString } from '@atproto/syntax'
import { LRUCache } from 'lru-cache'
import type { RecordRow } from '../../../federation/tables/graph.ts'
import type { Names } from '../../../platform/config/aliases.ts'
import { recordUri } from '../../../repository/records/record-uri.ts'
import { withOwnTypes } from '../../../repository/records/rename.ts'
import { cidKey, cidText } from '../../../util/cid.ts'
import { type DatetimeString, iso } from '../../../util/time.ts'

/** A valid record, as views refer to it. */
export interface ViewRecord<T> {
  readonly id: number
  /** Actor id of the author. */
  readonly actor: number
  readonly did: DidString
  readonly uri: AtUriString
  readonly cid: string
  readonly indexedAt: DatetimeString
  /** The record as it is stored. */
  readonly stored: LexMap
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
  const cache = new LRUCache<string, { cid: string; stored: LexMap; value: unknown }>({ maxSize: maxBytes })

  function decoded(schema: l.RecordSchema, cid: Uint8Array, bytes: Uint8Array) {
    // The same bytes may be stored in several collections, and be valid in one.
    const key = schema.$type + cidKey(cid)
    const cached = cache.get(key)
    if (cached) return cached
    const stored = decode(bytes) as LexMap
    const result = schema.safeValidate(withOwnTypes(stored, names))
    const entry = { cid: cidText(cid), stored, value: result.success ? result.value : undefined }
    cache.set(key, entry, { size: bytes.length + 1 })
    return entry
  }

  return {
    read<S extends l.RecordSchema>(schema: S, row: RecordRow) {
      const { id, actor, did, collection, rkey, bytes, indexedAt } = row
      const { cid, stored, value } = decoded(schema, row.cid, bytes)
      if (value === undefined) return undefined
      const shown = { uri: recordUri(did, collection, rkey), cid, indexedAt: iso(new Date(indexedAt)) }
      return { id, actor, did, ...shown, stored, value: value as l.InferOutput<S> }
    },
  }
}

const jsons = new WeakMap<object, LexMap>()

/** Returns the JSON of a record as it is stored, always the same object while the record is cached. */
export function jsonOf({ stored }: ViewRecord<object>): LexMap {
  const json = jsons.get(stored) ?? (lexToJson(stored) as LexMap)
  jsons.set(stored, json)
  return json
}
