/** Learns the passwords of a network for tests: each that a server stores passes its hasher, whatever call sets it. */
import { createPasswordHasher, type PasswordHasher } from '../identity/auth/passwords.ts'

export interface LearntPasswords {
  /** The hasher of all servers. */
  readonly hasher: PasswordHasher
  /** Returns the password of a hash. */
  find(hash: string): string | undefined
  /** All passwords by their hashes. */
  snapshot(): ReadonlyMap<string, string>
  /** Knows those of a snapshot alone. */
  restore(byHash: ReadonlyMap<string, string>): void
}

export function createLearntPasswords(): LearntPasswords {
  let learnt = new Map<string, string>()
  const hasher = createPasswordHasher({ cost: 4 })
  return {
    hasher: {
      ...hasher,
      async hash(password, network) {
        // A server that was ended by a restore may still hash: what it learns ends with it.
        const learning = learnt
        const hash = await hasher.hash(password, network)
        learning.set(hash, password)
        return hash
      },
      // A server that ends leaves it to the others.
      close: async () => {},
    },
    find: (hash) => learnt.get(hash),
    snapshot: () => new Map(learnt),
    restore(byHash) {
      learnt = new Map(byHash)
    },
  }
}
