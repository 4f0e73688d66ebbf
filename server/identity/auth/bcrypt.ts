/** bcrypt: blocking for the threads of the hash pool, yielding for the main thread if there are none. */
import { encodeBase64, hash, hashSync } from 'bcryptjs'
import { randomBytes } from '../../util/random.ts'

export interface HashJob {
  readonly secret: string
  /** The cost (binary logarithm of the rounds) for a new salt, or the first 29 characters of an existing hash. */
  readonly salt: number | string
}

/** Returns a new salt. Drawn by the main thread: a seed of the random values does not reach the others. @param cost see `HashJob` */
export function newSalt(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${encodeBase64(randomBytes(16), 16)}`
}

/** Blocks its thread for tens of milliseconds. */
export function bcryptSync({ secret, salt }: HashJob): string {
  try {
    return hashSync(secret, salt)
  } catch (cause) {
    throw new Error('Not a bcrypt hash.', { cause })
  }
}

/** Takes longer than `bcryptSync`, but yields to the event loop between rounds. */
export async function bcryptYielding({ secret, salt }: HashJob): Promise<string> {
  try {
    return await hash(secret, salt)
  } catch (cause) {
    throw new Error('Not a bcrypt hash.', { cause })
  }
}
