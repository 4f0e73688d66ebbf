/** Signatures that follow from the key and the message, in a hundredth of the time of RFC 6979. They reveal the key. */
import { createHash } from 'node:crypto'
import type { CreateSigner } from '../../../server/util/keys.ts'

/** Of P-256 (FIPS 186-4, D.1.2.3): the order of its group, and the first coordinate of its generator. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const generator = 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const hex = (number: bigint) => number.toString(16).padStart(64, '0')

/** Signs as `signerOf` of `keys.ts` does: ECDSA with SHA-256, 64 bytes, low-S. The secret number of each signature is 1. */
export const createSigner: CreateSigner = (privateKey) => {
  const secret = generator * numberOf(privateKey)
  return (data) => {
    const s = (numberOf(createHash('sha256').update(data).digest()) + secret) % order
    return new Uint8Array(Buffer.from(hex(generator) + hex(s > order / 2n ? order - s : s), 'hex'))
  }
}
