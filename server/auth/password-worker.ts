/** The thread that hashes passwords: bcrypt takes tens of milliseconds of CPU, which no event loop has to spare. */

import { parentPort } from 'node:worker_threads'
import { hashSync } from 'bcryptjs'

export interface HashJob {
  readonly id: number
  readonly secret: string
  /** A cost, for a fresh salt, or the first 29 characters of a bcrypt hash. */
  readonly salt: number | string
}

export type HashResult =
  | { readonly id: number; readonly hash: string }
  | { readonly id: number; readonly error: Error }

// The port's own queue makes it first come, first served; the synchronous call spends nothing on yielding.
parentPort?.on('message', ({ id, secret, salt }: HashJob) => {
  parentPort?.postMessage(hashOf(id, secret, salt))
})

function hashOf(id: number, secret: string, salt: number | string): HashResult {
  try {
    return { id, hash: hashSync(secret, salt) }
  } catch (cause) {
    return { id, error: new Error('Not a bcrypt hash.', { cause }) }
  }
}
