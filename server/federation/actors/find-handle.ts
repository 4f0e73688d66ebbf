/** Finds accounts of other servers by their handles: by the domain, else at the upstreams. */
import type { DidString } from '@atproto/syntax'
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import type { Requester } from '../../util/requester.ts'
import { createSharedLookup } from '../../util/shared-lookup.ts'
import type { Actors } from './actors.ts'
import { type HandleDeps, hostLabel, isUnder, resolveAt } from './handles.ts'

/**
 * Returns the DID of a handle of another server; undefined if it has none, or all servers fail.
 * @param handle in lower case
 * @throws TooManyLookups
 */
export type FindHandle = (handle: string, requester: Requester | undefined) => Promise<DidString | undefined>

type Deps = HandleDeps & {
  readonly actors: Pick<Actors, 'identify'>
  readonly now: () => Date
  /** Called when a look-up is refused because its requester has too many under way. */
  readonly onRefused?: (() => void) | undefined
}

const foundMs = 5 * 60_000
const missingMs = 10_000
/** Each asks all upstreams. */
const places = { perRequester: 4, perKind: 10 }

export function createFindHandle(deps: Deps): FindHandle {
  const { now, onRefused } = deps
  const dids = createSharedLookup<DidString | undefined>({ now, foundMs, missingMs, places, onRefused })

  async function atUpstreams(handle: string): Promise<DidString | undefined> {
    const found = await Promise.all(deps.upstreamOrigins().map((origin) => findAt(deps, origin, handle)))
    return found.find((did) => did !== undefined)
  }

  return async (handle, requester) =>
    (await deps.resolveHandle?.(handle, { requester })) ??
    dids.get(handle, () => atUpstreams(handle), { requester })
}

/** An answer counts if the document of the DID claims the handle, and the server of the account confirms it. */
async function findAt(deps: Deps, origin: string, handle: string): Promise<DidString | undefined> {
  const name = nameAt(origin, handle)
  if (name === undefined) return undefined
  try {
    const did = await resolveAt(deps, origin, name)
    const identity = did === undefined ? undefined : await deps.actors.identify(did, { via: origin })
    return identity?.handle === name ? identity.did : undefined
  } catch (error) {
    const kinds = [OutboundFailed, OutboundRefused, UnresolvableDid]
    if (kinds.some((kind) => error instanceof kind)) return undefined
    throw error
  }
}

/** The name under which a server has a handle; undefined for a handle that its domain resolves. See `hostHandle`. */
function nameAt(origin: string, handle: string): string | undefined {
  const end = `.${hostLabel(origin)}.test`
  if (handle.endsWith(end)) return `${handle.slice(0, -end.length)}.test`
  return isUnder(handle, origin) ? handle : undefined
}
