/**
 * Signs did:plc operations with the secret key of a recovery kit. The key stays in this page: only its public part and the signed
 * operation are sent.
 */
import { encode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { fromMultibase, toMultibase } from './multibase.ts'

export interface RotationKey {
  /** The public key as did:key. */
  readonly publicKey: string
  /** Returns the operation with its signature. */
  sign(operation: LexMap): LexMap
}

/** Multicodec prefixes as varints: of the secret key, and of the compressed public key. */
const kinds = [
  { curve: p256, secret: [0x86, 0x26], public: [0x80, 0x24] },
  { curve: secp256k1, secret: [0x81, 0x26], public: [0xe7, 0x01] },
] as const

/** Reads a secret key in multibase, with spaces anywhere; undefined if it is not one of P-256 or secp256k1. */
export function readRotationKey(text: string): RotationKey | undefined {
  const bytes = fromMultibase(text.replaceAll(/\s/g, ''))
  const kind = kinds.find(({ secret }) => secret.every((byte, index) => bytes?.[index] === byte))
  const scalar = new Uint8Array(bytes?.slice(2) ?? [])
  if (!kind?.curve.utils.isValidSecretKey(scalar)) return undefined
  const point = kind.curve.getPublicKey(scalar, true)
  return {
    publicKey: `did:key:${toMultibase([...kind.public, ...point])}`,
    // SHA-256 of the data is signed, with the lower of two values of s.
    sign: (operation) => ({
      ...operation,
      sig: base64url(kind.curve.sign(encode(operation), scalar, signing)),
    }),
  }
}

const signing = { prehash: true, lowS: true } as const

type Signature = ReturnType<typeof p256.sign>

function base64url(signature: Signature): string {
  const text = btoa(String.fromCharCode(...signature.toBytes('compact')))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
