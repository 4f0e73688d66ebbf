/**
 * The frames of an event stream, each one WebSocket message. A client chooses how they are written by the subprotocol that it offers:
 *
 * - `xrpc.v0.cbor`, also without a choice: two DAG-CBOR objects, a header and a payload. The header is `{ op: 1, t: '#name' }` for a
 *   message that the lexicon declares as `#name`, and `{ op: -1 }` for an error, the last frame.
 * - `xrpc.v1.json` (proposal 0015 of the network): one JSON object, `{ $type: 'message', payload }`, whose payload has its whole
 *   `$type`, or `{ $type: 'error', error, message }`.
 */
import { decodeAll, encode } from '@atproto/lex-cbor'
import type { LexValue } from '@atproto/lex-data'
import { type JsonValue, jsonToLex, lexStringify } from '@atproto/lex-json'
import type { XrpcError } from './xrpc-errors.ts'

/** Writes the frames of one subscription. A text is sent as a text message. */
export interface Framing {
  /** @param message with its `$type`; links and bytes in it are in their JSON form */
  message(nsid: string, message: { $type: string }): Uint8Array | string
  /** Converts a message that was encoded as a frame of `xrpc.v0.cbor`. */
  encoded(nsid: string, frame: Uint8Array): Uint8Array | string
  error(error: XrpcError): Uint8Array | string
}

const cborFraming: Framing = {
  message(nsid, { $type, ...payload }) {
    const t = $type.startsWith(`${nsid}#`) ? $type.slice(nsid.length) : $type
    return Buffer.concat([encode({ op: 1, t }), encode(jsonToLex(payload as JsonValue))])
  },
  encoded: (_, frame) => frame,
  error: (error) => Buffer.concat([encode({ op: -1 }), encode(error.toJSON())]),
}

const jsonFraming: Framing = {
  message: (_, payload) => JSON.stringify({ $type: 'message', payload }),
  encoded(nsid, frame) {
    const known = converted.get(frame)
    if (known?.nsid === nsid) return known.text
    const { header, payload } = readFrame(frame)
    const $type = header.t.startsWith('#') ? nsid + header.t : header.t
    const text = lexStringify({ $type: 'message', payload: { $type, ...payload } })
    converted.set(frame, { nsid, text })
    return text
  },
  error: (error) => JSON.stringify({ $type: 'error', ...error.toJSON() }),
}

/** The JSON of encoded frames, which several clients are sent. */
const converted = new WeakMap<Uint8Array, { readonly nsid: string; readonly text: string }>()

/** Reads a message of `xrpc.v0.cbor`, which this server has written. */
export function readFrame(frame: Uint8Array): {
  readonly header: { readonly op: number; readonly t: string }
  readonly payload: { readonly [member: string]: LexValue }
} {
  const [header, payload] = decodeAll(frame)
  return { header, payload } as ReturnType<typeof readFrame>
}

/** The framings by subprotocol. Pages that send their token as a subprotocol offer `xrpc` beside it. */
const framings: ReadonlyMap<string, Framing> = new Map([
  ['xrpc', cborFraming],
  ['xrpc.v0.cbor', cborFraming],
  ['xrpc.v1.json', jsonFraming],
])

/** The subprotocols that a client may choose. */
export const subprotocols: readonly string[] = [...framings.keys()]

/** @param subprotocol the chosen one; empty if there is none */
export function framingOf(subprotocol: string): Framing {
  return framings.get(subprotocol) ?? cborFraming
}
