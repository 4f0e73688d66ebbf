/** Resolves handles of other servers to DIDs. */
import { type DidString, isValidTld } from '@atproto/syntax'
import type { LookUpHandle } from '../../platform/network/handle-lookup.ts'
import { createSharedLookup, type LookupOptions } from '../../util/shared-lookup.ts'

interface Options {
  readonly lookUp: LookUpHandle
  /** Domains of this server. Their handles belong to accounts and are never looked up. */
  readonly userDomains: readonly string[]
  /** Looks `.test` handles up too. */
  readonly allowTest: boolean
  readonly now: () => Date
  /** Called when a look-up is refused because its requester has too many under way. */
  readonly onRefused?: (() => void) | undefined
}

/**
 * Returns the DID that the domain of a handle names; undefined if there is none, or it cannot be looked up now. The DID document
 * may not name the handle.
 * @param handle in lower case
 * @throws TooManyLookups
 */
export type ResolveHandle = (handle: string, options?: LookupOptions) => Promise<DidString | undefined>

const foundMs = 5 * 60_000
const missingMs = 30_000

/** Creates a resolver. Concurrent look-ups of one handle share one request. */
export function createHandleResolver(options: Options): ResolveHandle {
  const { lookUp, userDomains, allowTest, now, onRefused } = options
  const dids = createSharedLookup<DidString | undefined>({ now, foundMs, missingMs, onRefused })
  return async (handle, wanted) => {
    const isOwn = userDomains.some((domain) => handle.endsWith(domain))
    if (isOwn || !isValidTld(handle) || (handle.endsWith('.test') && !allowTest)) return undefined
    return dids.get(handle, () => lookUp(handle), wanted)
  }
}
