/**
 * Derives the keys of age files in this thread. Web Crypto does it in the thread pool, and works of several servers would end in an order that
 * differs between runs.
 */
import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Begins the DER form of a public key (RFC 8410), of which the raw bytes are the rest. */
const spkiPrefix = Buffer.from('302a300506032b656e032100', 'hex')

/** Raw bytes of a key. */
type Key = Buffer

interface Algorithm {
  readonly name: string
  readonly public?: Key
}

interface Subtle {
  importKey(format: string, key: Uint8Array, algorithm: Algorithm, ...rest: unknown[]): Promise<unknown>
  deriveBits(algorithm: Algorithm, key: Key, ...rest: unknown[]): Promise<unknown>
}

let isInline = false

const isX25519 = (algorithm: unknown) => (algorithm as Algorithm | undefined)?.name === 'X25519'

/** Shared secrets by both keys: servers read the same objects of their copies again and again. */
const secrets = new LRUCache<string, Uint8Array>({ max: 2000 })

/** Replaces the calls of Web Crypto that have this algorithm, for the rest of the process. */
export function deriveInline(): void {
  if (isInline) return
  isInline = true
  const subtle: Subtle = Object.getPrototypeOf(crypto.subtle)
  const { importKey, deriveBits } = subtle
  subtle.importKey = async function (format, key, algorithm, ...rest) {
    return isX25519(algorithm) ? Buffer.from(key) : importKey.call(this, format, key, algorithm, ...rest)
  }
  subtle.deriveBits = async function (algorithm, privateKey, ...rest) {
    const { public: publicKey } = algorithm
    if (!isX25519(algorithm) || !publicKey) return deriveBits.call(this, algorithm, privateKey, ...rest)
    const keys = `${privateKey.toString('latin1')} ${publicKey.toString('latin1')}`
    const secret = secrets.get(keys) ?? derive(privateKey, publicKey)
    secrets.set(keys, secret)
    return Uint8Array.from(secret).buffer
  }
}

/** @param pkcs8 the private key, in its DER form */
function derive(pkcs8: Key, raw: Key): Uint8Array {
  return diffieHellman({
    privateKey: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }),
    publicKey: createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' }),
  })
}
