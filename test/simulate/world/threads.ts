/** Work of the thread pool, which ends in an order that differs between runs. Logical time stands still meanwhile. */
import {
  createHash,
  createHmac,
  KeyObject,
  timingSafeEqual,
  verify as verifyNow,
  type webcrypto,
} from 'node:crypto'

export const threadWork = { started: 0, running: 0 }
let isCounting = false

/** Counts calls of Web Crypto and WebAssembly, the only work of threads that the servers start here: jobs run inline. */
export function countThreadWork(): void {
  if (isCounting) return
  isCounting = true
  const subtle = Object.getPrototypeOf(crypto.subtle)
  count(subtle, [
    ...['digest', 'sign', 'verify', 'encrypt', 'decrypt', 'importKey', 'exportKey'],
    ...['deriveBits', 'deriveKey', 'generateKey'],
  ])
  signInline(subtle)
  count(Reflect.get(globalThis, 'WebAssembly'), ['compile', 'instantiate'])
}

// biome-ignore lint/suspicious/noExplicitAny: methods of several shapes
type Methods = Record<string, (...args: any[]) => Promise<unknown>>

function count(methods: Methods, names: readonly string[]): void {
  for (const name of names) {
    const original = methods[name] as Methods[string]
    methods[name] = function (...args) {
      threadWork.started++
      threadWork.running++
      return original.apply(this, args).finally(() => {
        threadWork.running--
      })
    }
  }
}

/** Signs and verifies tokens in this thread: waiting for another one takes hundreds of turns of the event loop. */
function signInline(subtle: Methods): void {
  type Name = 'importKey' | 'sign' | 'verify' | 'digest'
  const { importKey, sign, verify, digest } = subtle as Record<Name, Methods[string]>
  const secrets = new WeakMap<object, Uint8Array>()
  const hmac = (secret: Uint8Array, data: Uint8Array) => createHmac('sha256', secret).update(data).digest()
  subtle.importKey = async function (...args) {
    const [format, secret, { name, hash }] = args
    const key = (await importKey.apply(this, args)) as object
    if (format === 'raw' && name === 'HMAC' && hash === 'SHA-256') secrets.set(key, Buffer.from(secret))
    return key
  }
  subtle.sign = async function (...args) {
    const [, key, data] = args
    const secret = secrets.get(key)
    return secret ? new Uint8Array(hmac(secret, data)).buffer : sign.apply(this, args)
  }
  subtle.verify = async function (...args) {
    const [algorithm, key, signature, data] = args
    const secret = secrets.get(key)
    if (algorithm.name === 'ECDSA') return isSignedBy(key, signature, data)
    if (!secret) return verify.apply(this, args)
    const expected = hmac(secret, data)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  }
  subtle.digest = async function (...args) {
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
