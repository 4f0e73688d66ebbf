/** bcrypt, for the threads of the hash pool and for the main thread in place of them. */
import { hash, hashSync } from 'bcryptjs'

export interface HashJob {
  readonly secret: string
  /** A cost, for a fresh salt, or the first 29 characters of a bcrypt hash. */
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

/** Yields to the event loop between rounds, but takes longer. */
export async function bcryptYielding({ secret, salt }: HashJob): Promise<string> {
  try {
    return await hash(secret, salt)
  } catch (cause) {
    throw new Error('Not a bcrypt hash.', { cause })
  }
}
