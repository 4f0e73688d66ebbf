/**
 * Caches responses of queries that depend only on the account, the parameters and some tables. A response is found until
 * one of its tables changes, so it is never stale.
 */
import { LRUCache } from 'lru-cache'
import { elapsed } from '../../util/timers.ts'
import type { JsonBody } from './send.ts'

/** Identifies a response. */
export interface Slot {
  readonly key: string
  /** Version of the tables when the call began. */
  readonly version: number
}

export interface ResponseCache {
  find(slot: Slot): JsonBody | undefined
  keep(slot: Slot, body: JsonBody): void
}

const maxBytes = 4_000_000
/** A long query is not worth its place. */
const maxKeyLength = 1000
/** Milliseconds. Responses may depend on the time as well, such as a status that expires. */
const maxAge = 60_000

export function createResponseCache(): ResponseCache {
  const cache = new LRUCache<string, { readonly version: number; readonly body: JsonBody }>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 4,
    ttl: maxAge,
    perf: { now: elapsed },
  })
  return {
    find({ key, version }) {
      const cached = cache.get(key)
      return cached?.version === version ? cached.body : undefined
    },
    keep({ key, version }, body) {
      // The compressed form, which is made on demand, is small beside it.
      if (key.length <= maxKeyLength)
        cache.set(key, { version, body }, { size: body.text.length + key.length })
    },
  }
}
