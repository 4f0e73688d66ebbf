/**
 * CIDs in tables: as bytes, which take 36 instead of 59. CIDs of the usual form, version 1 with SHA-256 in base32, are
 * converted here, ten times faster than by the library.
 */
import { hash } from 'node:crypto'
import { decodeCid, parseCid } from '@atproto/lex-data'

const textLength = 59
const byteLength = 36

/** Base32 of RFC 4648 in lower case. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
/** The value of each character by its code; 32 for all others. */
const values = new Uint8Array(128).fill(32)
const codes = Buffer.from(alphabet)
for (const [value, code] of codes.entries()) values[code] = value

/**
 * The bytes of the CIDs that were encoded last. A write needs the CIDs of its blocks several times: for the tree, the archive that it
 * emits and the table.
 */
const recent = new Map<string, Uint8Array>()
const maxRecent = 500

/** Returns bytes that callers must leave unchanged. Throws for text that is no CID. */
export function cidBytes(cid: string): Uint8Array {
  const known = recent.get(cid)
  if (known) return known
  const bytes = cid.length === textLength && cid.startsWith('b') ? decode(cid) : undefined
  return bytes && isUsual(bytes) ? bytes : parseCid(cid).bytes
}

export function cidText(bytes: Uint8Array): string {
  return isUsual(bytes) ? encode(bytes) : decodeCid(bytes).toString()
}

/** Returns a CID as a key of maps. Its usual text takes ten times longer to make. */
export function cidKey({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

/** Returns the CID of a block in DAG-CBOR. */
export function cborCid(bytes: Uint8Array): string {
  const cid = new Uint8Array(byteLength)
  cid.set(cborStart)
  cid.set(hash('sha256', bytes, 'buffer'), cborStart.length)
  const text = encode(cid)
  if (recent.size >= maxRecent) recent.clear()
  recent.set(text, cid)
  return text
}

/** Version 1, DAG-CBOR, SHA-256 of 32 bytes. */
const cborStart = Buffer.of(1, 0x71, 0x12, 0x20)

function isUsual(bytes: Uint8Array): boolean {
  return bytes.length === byteLength && bytes[0] === 1 && bytes[2] === 0x12 && bytes[3] === 0x20
}

/** Holds the text that is being encoded. */
const encoded = Buffer.alloc(textLength, 'b')

function encode(bytes: Uint8Array): string {
  let buffer = 0
  let bits = 0
  let length = 1
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) encoded[length++] = codes[(buffer >>> (bits - 5)) & 31] as number
  }
  encoded[length] = codes[(buffer << (5 - bits)) & 31] as number
  return encoded.toString('latin1')
}

/** Decodes the text after its first character; undefined if another character is not base32. */
function decode(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(byteLength)
  let buffer = 0
  let bits = 0
  let length = 0
  for (let at = 1; at < text.length; at++) {
    const value = values[text.charCodeAt(at)] ?? 32
    if (value === 32) return undefined
    buffer = ((buffer << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = (buffer >>> bits) & 0xff
  }
  // The last two bits are padding.
  return (buffer & 3) === 0 ? bytes : undefined
}
