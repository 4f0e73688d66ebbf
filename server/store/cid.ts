/** CIDs in tables: as bytes, which take 36 instead of 59. */
import { decodeCid, parseCid } from '@atproto/lex-data'

export function cidBytes(cid: string): Uint8Array {
  return parseCid(cid).bytes
}

export function cidText(bytes: Uint8Array): string {
  return decodeCid(bytes).toString()
}
