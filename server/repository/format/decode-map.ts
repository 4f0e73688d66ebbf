/** Decodes blocks that may come from anyone. */
import { decode } from '@atproto/lex-cbor'
import { isPlainObject, type LexMap } from '@atproto/lex-data'

/** Decodes DAG-CBOR; undefined if it is damaged or no map. */
export function decodeMap(bytes: Uint8Array): LexMap | undefined {
  try {
    const value = decode(bytes)
    return isPlainObject(value) ? (value as LexMap) : undefined
  } catch {
    return undefined
  }
}
