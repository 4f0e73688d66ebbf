/** bcrypt: blocking for the threads of the hash pool, yielding for the main thread if there are none. */
import { hash, hashSync } from 'bcryptjs'

export interface HashJob {
  readonly secret: string
  /** The cost (binary logarithm of the rounds) for a new salt, or the first 29 characters of an existing hash. */
  readonly salt: number | string
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
