/** Finds accounts of other servers by their handles: by the domain, else at the upstreams. */
import type { DidString } from '@atproto/syntax'
import { LRUCache } from 'lru-cache'
import { UnresolvableDid } from '../identity/resolver.ts'
import { OutboundRefused } from '../network/guard.ts'
import { OutboundFailed } from '../network/guarded-fetch.ts'
import type { Actors } from './actors.ts'
import { type HandleDeps, hostLabel, isUnder, resolveAt } from './handles.ts'

/**
 * Returns the DID of a handle of another server; undefined if there is none, or no server answers.
 * @param handle in lower case
 * @throws TooManyLookups
 */
export type FindHandle = (handle: string) => Promise<DidString | undefined>

type Deps = HandleDeps & {
  readonly actors: Pick<Actors, 'identify'>
  readonly now: () => Date
}

const foundMaxAgeMs = 5 * 60_000
const missingMaxAgeMs = 10_000
const cacheEntries = 500
/** Look-ups at once. Those beyond find nothing. */
const maxRunning = 10

export function createFindHandle(deps: Deps): FindHandle {
  const now = () => deps.now().getTime()
  const results = new LRUCache<string, { readonly did: DidString | undefined; readonly at: number }>({
    max: cacheEntries,
  })
  const running = new Map<string, Promise<DidString | undefined>>()

  async function lookUp(handle: string): Promise<DidString | undefined> {
    const found = await Promise.all(deps.upstreamOrigins().map((origin) => findAt(deps, origin, handle)))
    const did = found.find((each) => each !== undefined)
    results.set(handle, { did, at: now() })
    return did
  }

  async function atUpstreams(handle: string): Promise<DidString | undefined> {
    const known = results.get(handle)
    const maxAgeMs = known?.did === undefined ? missingMaxAgeMs : foundMaxAgeMs
    if (known && now() - known.at < maxAgeMs) return known.did
    const started = running.get(handle)
    if (started || running.size >= maxRunning) return started
    const result = lookUp(handle).finally(() => running.delete(handle))
    running.set(handle, result)
    return result
  }

  return async (handle) => (await deps.resolveHandle?.(handle)) ?? atUpstreams(handle)
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
