/** Learns the passwords of a network for tests: each that a server stores passes its hasher, whatever call sets it. */
import { createPasswordHasher, type PasswordHasher } from '../identity/auth/passwords.ts'

export interface LearntPasswords {
  /** The hasher of all servers. */
  readonly hasher: PasswordHasher
  /** Returns the password of a hash. */
  find(hash: string): string | undefined
  /** All passwords by their hashes. */
  snapshot(): ReadonlyMap<string, string>
  /** Adds those of a snapshot. */
  restore(byHash: ReadonlyMap<string, string>): void
}

export function createLearntPasswords(): LearntPasswords {
  const learnt = new Map<string, string>()
  const hasher = createPasswordHasher({ cost: 4 })
  return {
    hasher: {
      ...hasher,
      async hash(password, network) {
        const hash = await hasher.hash(password, network)
        learnt.set(hash, password)
        return hash
      },
      // A server that ends leaves it to the others.
      close: async () => {},
    },
    find: (hash) => learnt.get(hash),
    snapshot: () => new Map(learnt),
    restore(byHash) {
      for (const [hash, password] of byHash) learnt.set(hash, password)
    },
  }
}
