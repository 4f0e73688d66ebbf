/** Whom this server takes an interest in, among the actors of other servers. Sources ask it for every event, before they verify one. */
import type { Database } from '../store/database.ts'
import { allDids } from '../store/tables/accounts.ts'
import * as interest from '../store/tables/remote-interest.ts'

export interface Interest {
  /** Whether an actor has an account here: then other servers have nothing to report of it. */
  isLocal(did: string): boolean
  /** Whether an account here follows an actor, or is subscribed to its posts. */
  isWatched(did: string): boolean
  /** Whether something of an actor is stored, or a record or an account here refers to it. */
  isKnown(did: string): boolean
  /** Whether bytes, such as the blocks of a commit, contain the DID of an account here. Sometimes true without one. */
  mentionsLocal(bytes: Uint8Array): boolean
}

interface Accounts {
  /** Of the table. */
  readonly version: number
  readonly dids: ReadonlySet<string>
  /** The lengths that the DIDs have. */
  readonly lengths: readonly number[]
}

/** What is asked most is in memory, the rest takes a query of some microseconds. */
export function createInterest({ store }: { readonly store: Database }): Interest {
  let known: Accounts | undefined

  function accounts(): Accounts {
    const version = store.version('accounts')
    if (known?.version !== version) {
      const dids = new Set<string>(allDids(store))
      known = { version, dids, lengths: [...new Set(Array.from(dids, ({ length }) => length))] }
    }
    return known
  }

  return {
    isLocal: (did) => accounts().dids.has(did),
    isWatched: (did) => interest.isWatched(store, did),
    isKnown: (did) => interest.isKnown(store, did),
    mentionsLocal(bytes) {
      const { dids, lengths } = accounts()
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let at = text.indexOf('did:'); at >= 0; at = text.indexOf('did:', at + 4)) {
        // Where the DID ends cannot be seen: the first byte of what follows in DAG-CBOR may be a letter.
        if (lengths.some((length) => dids.has(text.toString('latin1', at, at + length)))) return true
      }
      return false
    },
  }
}
