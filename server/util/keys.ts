/** Keys of accounts and of the server: P-256 and secp256k1 as did:key. */
import * as crypto from 'node:crypto'
import { formatDidKey, parseDidKey, verifySignature } from '@atproto/crypto'
import { LRUCache } from 'lru-cache'
import { randomBytes } from './random.ts'

/** A public key as a DID: P-256 (`did:key:zDn…`) or secp256k1 (`did:key:zQ3s…`). */
export type DidKey = `did:key:${string}`

/** JWS algorithm names: ECDSA over P-256 (RFC 7518 §3.4) and over secp256k1 (RFC 8812 §3.2). */
export type KeyAlgorithm = 'ES256' | 'ES256K'

/** A P-256 private key (32 bytes, the scalar) and its public key. */
export type SigningKey = { readonly did: DidKey; readonly privateKey: Uint8Array }

/**
 * The longest text, in characters, that is decoded as a key. The longest key, an uncompressed point, has 89. Decoding base58
 * takes quadratic time: 60 kB would block the event loop for seconds.
 */
export const MAX_KEY_LENGTH = 128

/** Generates a P-256 key: an account's signing key, or the server's rotation key. */
export async function createSigningKey(): Promise<SigningKey> {
  for (;;) {
    // FIPS 186-5, A.2.2: numbers that are no key, one in four billion, are drawn again.
    const privateKey = randomBytes(keyBytes)
    const scalar = BigInt(`0x${privateKey.toString('hex')}`)
    if (scalar > 0n && scalar < ORDER) return loadSigningKey(privateKey)
  }
}

/** Loads a stored P-256 private key. Throws if the bytes are not one. */
export async function loadSigningKey(privateKey: Uint8Array): Promise<SigningKey> {
  return { did: formatDidKey('ES256', publicKeyOf(privateKey)) as DidKey, privateKey }
}

/** Signs SHA-256(`data`): 64 bytes, r then s, always low-S as atproto requires. */
export type Sign = (data: Uint8Array) => Uint8Array

/** Creates the function that signs with a P-256 private key of 32 bytes. */
export type CreateSigner = (privateKey: Uint8Array) => Sign

let createSigner: CreateSigner = createNativeSigner

/** For `sources.ts` alone. If there is no argument, the signer of production is put back. */
export function replaceSigner(next: CreateSigner = createNativeSigner): void {
  createSigner = next
}

/** Returns a function that signs with a P-256 private key. */
export function signerOf(privateKey: Uint8Array): Sign {
  if (privateKey.length !== keyBytes) throw notAKey()
  return createSigner(privateKey)
}

/** OpenSSL takes a tenth of the time of JavaScript, and every commit of a repository is signed. */
function createNativeSigner(privateKey: Uint8Array): Sign {
  const der = Buffer.concat([sec1Start, privateKey, sec1End])
  const key = crypto.createPrivateKey({ key: der, format: 'der', type: 'sec1' })
  // As DER and not by `dsaEncoding`: an options object doubles the time that Node takes.
  return (data) => withLowS(fromDer(crypto.sign('sha256', data, key)))
}

export function sign(privateKey: Uint8Array, data: Uint8Array): Uint8Array {
  return signerOf(privateKey)(data)
}

const keyBytes = 32
const notAKey = () => new TypeError(`A P-256 private key has ${keyBytes} bytes`)

/** ECPrivateKey (RFC 5915) of a P-256 key without its public key: the bytes before and after the scalar. */
const sec1Start = Buffer.from('30310201010420', 'hex')
const sec1End = Buffer.from('a00a06082a8648ce3d030107', 'hex')

/** Returns the public key as an uncompressed point. By OpenSSL: in JavaScript the first one would delay the start by 0.1 s. */
export function publicKeyOf(privateKey: Uint8Array): Buffer {
  if (privateKey.length !== keyBytes) throw notAKey()
  const pair = crypto.createECDH('prime256v1')
  pair.setPrivateKey(privateKey)
  return pair.getPublicKey()
}

/** The r and s of an ECDSA-Sig-Value (RFC 3279 §2.2.3) as 64 bytes. */
function fromDer(der: Buffer): Buffer {
  const signature = Buffer.alloc(2 * keyBytes)
  let at = 2
  for (const end of [keyBytes, 2 * keyBytes]) {
    const length = der[at + 1] as number
    const integer = der.subarray(at + 2, at + 2 + length)
    // A DER integer has a leading zero byte when its first bit is set, and omits other leading zeros.
    const digits = integer.subarray(Math.max(0, length - keyBytes))
    signature.set(digits, end - digits.length)
    at += 2 + length
  }
  return signature
}

/** The order of P-256's group (FIPS 186-4, D.1.2.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Replaces s by the lower of the two values that make a valid signature. */
function withLowS(signature: Buffer): Uint8Array {
  const s = BigInt(`0x${signature.toString('hex', 32)}`)
  if (s > ORDER / 2n) signature.write((ORDER - s).toString(16).padStart(64, '0'), 32, 'hex')
  return new Uint8Array(signature)
}

/**
 * Whether `signature` (64 bytes, low-S) over SHA-256(`data`) was made by `key`. Returns false for malformed keys and
 * signatures.
 */
export async function isSignedBy(key: string, data: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (key.length > MAX_KEY_LENGTH) return false
  try {
    const known = nativeKeyOf(key)
    if (!known) return await verifySignature(key, data, signature)
    if (signature.length !== 2 * keyBytes || !isLowS(signature, known.order)) return false
    return crypto.verify('sha256', data, { key: known.publicKey, dsaEncoding: 'ieee-p1363' }, signature)
  } catch {
    return false
  }
}

interface NativeKey {
  readonly publicKey: crypto.KeyObject
  /** Order of the group of its curve. */
  readonly order: bigint
}

/** Parsing takes longer than verifying, and an actor signs many commits. */
const nativeKeys = new LRUCache<string, NativeKey>({ max: 2000 })

/**
 * Returns a key for OpenSSL, which verifies in a tenth of the time of JavaScript; undefined if it does not have the curve: that of
 * Electron lacks secp256k1. Throws for a malformed key.
 */
function nativeKeyOf(did: string): NativeKey | undefined {
  const known = nativeKeys.get(did)
  if (known || !isNativeCurve(did)) return known
  const { jwtAlg, keyBytes: point } = parsedKey(did)
  const { crv, order } = curves[jwtAlg as KeyAlgorithm]
  const [x, y] = [point.subarray(1, 1 + keyBytes), point.subarray(1 + keyBytes)].map((part) =>
    Buffer.from(part).toString('base64url'),
  )
  const jwk = { kty: 'EC', crv, x, y } as crypto.JsonWebKey
  const key = { publicKey: crypto.createPublicKey({ key: jwk, format: 'jwk' }), order }
  nativeKeys.set(did, key)
  return key
}

const curves = {
  ES256: { crv: 'P-256', order: ORDER },
  ES256K: {
    crv: 'secp256k1',
    // SEC 2, §2.4.1.
    order: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  },
} as const

const hasSecp256k1 = crypto.getCurves().includes('secp256k1')
const isNativeCurve = (did: string) => hasSecp256k1 || did.startsWith('did:key:zDn')

function isLowS(signature: Uint8Array, order: bigint): boolean {
  return BigInt(`0x${Buffer.from(signature.subarray(keyBytes)).toString('hex')}`) <= order / 2n
}

/** Valid keys: JavaScript computes the point of a compressed one. Each look at an identity reads its keys several times. */
const parsedKeys = new LRUCache<string, ParsedKey>({ max: 2000 })

type ParsedKey = ReturnType<typeof parseDidKey>

/** @throws if it is no key */
function parsedKey(did: string): ParsedKey {
  const known = parsedKeys.get(did) ?? parseDidKey(did)
  parsedKeys.set(did, known)
  return known
}

/** Returns the algorithm that `key` signs with. */
export function algorithmOf(key: DidKey): KeyAlgorithm {
  return parsedKey(key).jwtAlg as KeyAlgorithm
}

/** Whether `value` is a did:key whose point is on P-256 or secp256k1. */
export function isDidKey(value: unknown): value is DidKey {
  if (typeof value !== 'string' || value.length > MAX_KEY_LENGTH) return false
  try {
    parsedKey(value)
    return true
  } catch {
    return false
  }
}
