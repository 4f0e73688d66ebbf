/** Resolves handles of other servers to DIDs. */
import { type DidString, isValidTld } from '@atproto/syntax'
import { LRUCache } from 'lru-cache'
import type { LookUpHandle } from '../network/handle-lookup.ts'

interface Options {
  readonly lookUp: LookUpHandle
  /** Domains of this server. Their handles are those of accounts, and are never looked up. */
  readonly userDomains: readonly string[]
  /** Looks `.test` handles up too. */
  readonly allowTest: boolean
  readonly now: () => Date
}

/**
 * Returns the DID that the domain of a handle names; undefined if there is none, or it cannot be looked up now. The DID document
 * may not name the handle.
 * @param handle in lower case
 * @param maxAgeMs the oldest cached result that is accepted
 * @throws TooManyLookups
 */
export type ResolveHandle = (
  handle: string,
  options?: { maxAgeMs?: number },
) => Promise<DidString | undefined>

/** Too many look-ups are under way. */
export class TooManyLookups extends Error {
  override name = 'TooManyLookups'
}

const foundMaxAgeMs = 5 * 60_000
const missingMaxAgeMs = 30_000
const cacheEntries = 1_000
const maxRunning = 50

/** Creates a resolver. Concurrent look-ups of one handle share one request. */
export function createHandleResolver({ lookUp, userDomains, allowTest, now }: Options): ResolveHandle {
  const results = new LRUCache<string, { readonly did: DidString | undefined; readonly at: number }>({
    max: cacheEntries,
  })
  const running = new Map<string, Promise<DidString | undefined>>()

  async function start(handle: string): Promise<DidString | undefined> {
    if (running.size >= maxRunning) throw new TooManyLookups('Too many handles are being looked up')
    const result = lookUp(handle).finally(() => running.delete(handle))
    running.set(handle, result)
    const did = await result
    results.set(handle, { did, at: now().getTime() })
    return did
  }

  return async (handle, { maxAgeMs = foundMaxAgeMs } = {}) => {
    const isOwn = userDomains.some((domain) => handle.endsWith(domain))
    if (isOwn || !isValidTld(handle) || (handle.endsWith('.test') && !allowTest)) return undefined
    const known = results.get(handle)
    const limit = known?.did === undefined ? Math.min(maxAgeMs, missingMaxAgeMs) : maxAgeMs
    if (known && now().getTime() - known.at < limit) return known.did
    return running.get(handle) ?? start(handle)
  }
}
