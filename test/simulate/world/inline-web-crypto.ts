/** Signs and verifies tokens in this thread: waiting for another one takes hundreds of turns of the event loop. */
import {
  createHash,
  createHmac,
  KeyObject,
  timingSafeEqual,
  verify as verifyNow,
  type webcrypto,
} from 'node:crypto'

// biome-ignore lint/suspicious/noExplicitAny: methods of several shapes
type Method = (...args: any[]) => Promise<unknown>
type Subtle = Record<'importKey' | 'sign' | 'verify' | 'digest', Method>

let isInline = false

/** Replaces the calls of Web Crypto with HMAC, ECDSA and SHA-256, for the rest of the process. */
export function signInline(): void {
  if (isInline) return
  isInline = true
  const subtle: Subtle = Object.getPrototypeOf(crypto.subtle)
  const { importKey, sign, verify, digest } = subtle
  const secrets = new WeakMap<object, Uint8Array>()
  const hmac = (secret: Uint8Array, data: Uint8Array) => createHmac('sha256', secret).update(data).digest()
  subtle.importKey = async function (this: Subtle, ...args) {
    const [format, secret, { name, hash }] = args
    const key = (await importKey.apply(this, args)) as object
    if (format === 'raw' && name === 'HMAC' && hash === 'SHA-256') secrets.set(key, Buffer.from(secret))
    return key
  }
  subtle.sign = async function (this: Subtle, ...args) {
    const [, key, data] = args
    const secret = secrets.get(key)
    return secret ? new Uint8Array(hmac(secret, data)).buffer : sign.apply(this, args)
  }
  subtle.verify = async function (this: Subtle, ...args) {
    const [algorithm, key, signature, data] = args
    const secret = secrets.get(key)
    if (algorithm.name === 'ECDSA') return isSignedBy(key, signature, data)
    if (!secret) return verify.apply(this, args)
    const expected = hmac(secret, data)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  }
  subtle.digest = async function (this: Subtle, ...args) {
    const [algorithm, data] = args
    const isSha256 = algorithm === 'SHA-256' || algorithm?.name === 'SHA-256'
    if (!isSha256) return digest.apply(this, args)
    return new Uint8Array(createHash('sha256').update(data).digest()).buffer
  }
}

/** Verifies a signature of an app, with P-256 and SHA-256. */
function isSignedBy(key: webcrypto.CryptoKey, signature: Uint8Array, data: Uint8Array): boolean {
  return verifyNow('sha256', data, { key: KeyObject.from(key), dsaEncoding: 'ieee-p1363' }, signature)
}
