/** Reads records for views. Records may be stored without validation: an invalid one counts as none. */
import { decode } from '@atproto/lex-cbor'
import type { l } from '@atproto/lex-schema'
import { LRUCache } from 'lru-cache'
import type { Aliases } from '../config/aliases.ts'
import { withCanonicalTypes } from '../records/prepare.ts'

export interface RecordReader {
  /**
   * Returns a decoded record with canonical `$type` values; undefined if it violates the lexicon.
   * @param cid binary; records are cached by it
   */
  read<S extends l.RecordSchema>(schema: S, cid: Uint8Array, bytes: Uint8Array): l.InferOutput<S> | undefined
}

/** Encoded bytes of the records in the cache. */
const maxBytes = 8_000_000

export function createRecordReader(aliases: Aliases): RecordReader {
  const cache = new LRUCache<string, { value: unknown }>({ maxSize: maxBytes })
  return {
    read<S extends l.RecordSchema>(schema: S, cid: Uint8Array, bytes: Uint8Array) {
      const key = Buffer.from(cid.buffer, cid.byteOffset, cid.byteLength).toString('latin1')
      const cached = cache.get(key)
      if (cached) return cached.value as l.InferOutput<S> | undefined
      const result = schema.safeValidate(withCanonicalTypes(decode(bytes), aliases))
      const value = result.success ? result.value : undefined
      cache.set(key, { value }, { size: bytes.length + 1 })
      return value as l.InferOutput<S> | undefined
    },
  }
}
