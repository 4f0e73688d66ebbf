/** Signatures that follow from the key and the message (RFC 6979), where OpenSSL draws a random number for each. */
import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import type { CreateSigner } from '../../util/keys.ts'

/** Signs as `signerOf` of `keys.ts` does: SHA-256, 64 bytes, low-S. Takes about ten times as long. */
export const createDeterministicSigner: CreateSigner = (privateKey) => (data) =>
  p256
    .sign(createHash('sha256').update(data).digest(), privateKey, { lowS: true, prehash: false })
    .toCompactRawBytes()
