/**
 * Derives the keys of age files in this thread. Web Crypto does it in the thread pool, and works of several servers would end in an order that
 * differs between runs.
 */
import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto'

/** Begins the DER form of a public key (RFC 8410), of which the raw bytes are the rest. */
const spkiPrefix = Buffer.from('302a300506032b656e032100', 'hex')

interface Algorithm {
  readonly name: string
  readonly public?: KeyObject
}

interface Subtle {
  importKey(format: string, key: Uint8Array, algorithm: Algorithm, ...rest: unknown[]): Promise<unknown>
  deriveBits(algorithm: Algorithm, key: KeyObject, ...rest: unknown[]): Promise<unknown>
}

let isInline = false

const isX25519 = (algorithm: unknown) => (algorithm as Algorithm | undefined)?.name === 'X25519'

/** Replaces the calls of Web Crypto that have this algorithm, for the rest of the process. */
export function deriveInline(): void {
  if (isInline) return
  isInline = true
  const subtle: Subtle = Object.getPrototypeOf(crypto.subtle)
  const { importKey, deriveBits } = subtle
  subtle.importKey = async function (format, key, algorithm, ...rest) {
    if (!isX25519(algorithm)) return importKey.call(this, format, key, algorithm, ...rest)
    return format === 'raw'
      ? createPublicKey({ key: Buffer.concat([spkiPrefix, key]), format: 'der', type: 'spki' })
      : createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' })
  }
  subtle.deriveBits = async function (algorithm, privateKey, ...rest) {
    const { public: publicKey } = algorithm
    if (!isX25519(algorithm) || !publicKey) return deriveBits.call(this, algorithm, privateKey, ...rest)
    return Uint8Array.from(diffieHellman({ privateKey, publicKey })).buffer
  }
}
