/**
 * Stored passwords: bcrypt of the base64 SHA-256 digest of their UTF-8 bytes. Without the digest bcrypt would cut them at 72
 * bytes.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { newSalt } from './bcrypt.ts'
import { createHashPool, type HashPoolOptions } from './hash-pool.ts'

export { PasswordQueueFull } from './hash-pool.ts'

export interface PasswordHasher {
  /**
   * Hashes a password for storage.
   * @param network networks take turns in the queue; see `Caller.network`
   * @throws PasswordQueueFull
   */
  hash(password: string, network: string): Promise<string>
  /**
   * Whether `hash` is of this password. Undefined (unknown account, or one that signs in otherwise) takes the same work and returns
   * false, so that the response time hides which accounts exist.
   * @throws PasswordQueueFull
   */
  verify(password: string, hash: string | undefined, network: string): Promise<boolean>
  /** Ends the threads and rejects all calls, waiting and later ones. */
  close(): Promise<void>
}

interface PasswordHasherOptions extends HashPoolOptions {
  /** Binary logarithm of bcrypt's rounds, 4 to 31. */
  readonly cost?: number
}

/** `$2b$`, the cost, `$` and 22 characters of salt; the hash proper follows. */
const saltLength = 29

/** The default cost is the least that OWASP's Password Storage Cheat Sheet allows for bcrypt. */
export function createPasswordHasher({ cost = 10, ...options }: PasswordHasherOptions = {}): PasswordHasher {
  const dummySalt = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(22)}`
  const pool = createHashPool(options)
  const bcrypt = (password: string, salt: string, network: string) =>
    pool.hash({ secret: createHash('sha256').update(password, 'utf8').digest('base64'), salt }, network)

  return {
    hash: (password, network) => bcrypt(password, newSalt(cost), network),
    async verify(password, hash, network) {
      const computed = await bcrypt(password, hash?.slice(0, saltLength) ?? dummySalt, network)
      return hash !== undefined && areEqual(computed, hash)
    },
    close: () => pool.close(),
  }
}

function areEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
