/**
 * The frames of an event stream: each is one WebSocket message of two DAG-CBOR objects, a header and a payload. The header is
 * `{ op: 1, t: '#name' }` for a message that the lexicon declares as `#name`, and `{ op: -1 }` for an error, the last frame.
 */
import { encode } from '@atproto/lex-cbor'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import type { XrpcError } from './xrpc-errors.ts'

/** @param message with its `$type`; links and bytes in it are in their JSON form */
export function messageFrame(nsid: string, { $type, ...payload }: { $type: string }): Uint8Array {
  const t = $type.startsWith(`${nsid}#`) ? $type.slice(nsid.length) : $type
  return Buffer.concat([encode({ op: 1, t }), encode(jsonToLex(payload as JsonValue))])
}

export function errorFrame(error: XrpcError): Uint8Array {
  return Buffer.concat([encode({ op: -1 }), encode(error.toJSON())])
}
