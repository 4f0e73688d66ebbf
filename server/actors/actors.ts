/**
 * Who the actors of other servers are: their keys, servers and handles. Identities are kept for a day; those of actors that
 * records here refer to in the store, others in memory.
 */
import type { DidString, HandleString } from '@atproto/syntax'
import { LRUCache } from 'lru-cache'
import type { DidKey } from '../identity/keys.ts'
import { UnresolvableDid } from '../identity/resolver.ts'
import type { Database, Writer } from '../store/database.ts'
import * as remoteActors from '../store/tables/remote-actors.ts'
import { type KnownIdentity, type ReadIdentityDeps, readIdentity } from './read-identity.ts'

export interface Identity {
  readonly did: DidString
  /** Signs the commits of its repository. */
  readonly signingKey: DidKey
  /** Origin of its personal data server. */
  readonly host: string
  /** Verified; undefined: none. */
  readonly handle: HandleString | undefined
  /**
   * Whether only its operations prove it. Any server can copy them and pose as the host. Otherwise a directory or a domain names the
   * host.
   */
  readonly isSelfProven: boolean
}

export interface IdentifyOptions {
  /** Origin of the upstream that mentioned the DID. */
  readonly via?: string | undefined
  /** The oldest known identity that is accepted; a day by default. 0 always starts a look-up. */
  readonly maxAgeMs?: number
}

export interface Actors {
  /**
   * Returns the identity of a DID. While it cannot be looked up, the last known one is returned unless `maxAgeMs` is 0.
   * @throws UnresolvableDid
   */
  identify(did: string, options?: IdentifyOptions): Promise<Identity>
  /**
   * Makes another server the host of an actor, if only operations prove the identity and that server has the latest ones.
   * @returns whether it is the host now
   * @throws UnresolvableDid
   */
  rehost(did: string, origin: string): Promise<boolean>
  /** Marks an identity as changed: it is looked up before the next use. */
  forget(did: string): Promise<void>
  /** Stores a known identity in the transaction that first refers to its DID. */
  keep(tx: Writer, did: string): void
}

export type ActorsDeps = ReadIdentityDeps & {
  readonly store: Database
  /** Called with an actor whose identity has changed. */
  readonly onForgotten: (did: string) => void
}

const day = 24 * 60 * 60_000
/** A DID that does not exist is not looked up again for this time. */
const failureMaxAgeMs = 60_000
/** Look-ups of one DID in a minute: sources can say at any time that an identity has changed. */
const lookupsPerMinute = 5
/** Look-ups at once. */
const maxRunning = 50
const cacheEntries = 2_000
const cacheBytes = 8_000_000

export function createActors(deps: ActorsDeps): Actors {
  const { store } = deps
  const now = () => deps.now().getTime()
  const cache = new LRUCache<string, KnownIdentity>({
    max: cacheEntries,
    maxSize: cacheBytes,
    sizeCalculation: ({ log }) => (log ? JSON.stringify(log).length : 1),
  })
  const failures = new LRUCache<string, { readonly error: UnresolvableDid; readonly at: number }>({
    max: cacheEntries,
  })
  const running = new Map<string, Promise<KnownIdentity>>()
  const recent = new LRUCache<string, readonly number[]>({ max: cacheEntries })

  function find(did: string): KnownIdentity | undefined {
    const cached = cache.get(did)
    if (cached) return cached
    const identity = remoteActors.find(store, did)
    if (!identity) return undefined
    const log = remoteActors.findLog(store, did)
    const known = { identity, log: log === undefined ? undefined : JSON.parse(log) }
    cache.set(did, known)
    return known
  }

  /** Counts a look-up. @returns false if there were too many */
  function mayLookUp(did: string): boolean {
    const times = (recent.get(did) ?? []).filter((at) => now() - at < 60_000)
    if (times.length >= lookupsPerMinute || running.size >= maxRunning) return false
    recent.set(did, [...times, now()])
    return true
  }

  /** @param prefersKnown whether the known host is preferred to `via` */
  async function lookUp(did: string, via: string | undefined, prefersKnown = true): Promise<KnownIdentity> {
    const found = await readIdentity(deps, did, { via, known: find(did), prefersKnown })
    cache.set(did, found)
    await store.transact((tx) => write(tx, did, found))
    return found
  }

  function write(tx: Writer, did: string, { identity, log }: KnownIdentity): void {
    remoteActors.put(tx, did, identity)
    remoteActors.putLog(tx, did, log && JSON.stringify(log))
  }

  /** Runs one look-up of a DID at a time. */
  async function shared(did: string, via: string | undefined, maxAgeMs: number): Promise<KnownIdentity> {
    const started = running.get(did)
    if (started) return started
    const failure = failures.get(did)
    if (failure && now() - failure.at < Math.min(maxAgeMs, failureMaxAgeMs)) throw failure.error
    if (!mayLookUp(did)) throw new UnresolvableDid(`${did}: too many look-ups`, { isOutage: true })
    const result = lookUp(did, via)
      .catch((error: unknown) => {
        if (error instanceof UnresolvableDid && !error.isOutage) failures.set(did, { error, at: now() })
        throw error
      })
      .finally(() => running.delete(did))
    running.set(did, result)
    return result
  }

  return {
    async identify(did, { via, maxAgeMs = day } = {}) {
      const known = find(did)
      const { resolvedAt } = known?.identity ?? {}
      if (known && resolvedAt != null && now() - resolvedAt < maxAgeMs) return identityOf(did, known)
      try {
        return identityOf(did, await shared(did, via, maxAgeMs))
      } catch (error) {
        const isOutage = error instanceof UnresolvableDid && error.isOutage
        if (!isOutage || !known || maxAgeMs === 0) throw error
        return identityOf(did, known)
      }
    },
    async rehost(did, origin) {
      await running.get(did)?.catch(() => {})
      if (!find(did)?.log) return false
      if (!mayLookUp(did)) throw new UnresolvableDid(`${did}: too many look-ups`, { isOutage: true })
      return (await lookUp(did, origin, false)).identity.host === origin
    },
    async forget(did) {
      failures.delete(did)
      // A look-up that is under way may have read the old document.
      await running.get(did)?.catch(() => {})
      const known = find(did)
      if (!known) return
      cache.set(did, { ...known, identity: { ...known.identity, resolvedAt: null } })
      await store.transact((tx) => remoteActors.expire(tx, did))
      deps.onForgotten(did)
    },
    keep(tx, did) {
      const known = cache.get(did)
      if (known && !remoteActors.find(tx, did)) write(tx, did, known)
    },
  }
}

function identityOf(did: string, { identity, log }: KnownIdentity): Identity {
  const { signingKey, host, handle } = identity
  return {
    did: did as DidString,
    signingKey,
    host,
    handle: handle ?? undefined,
    isSelfProven: log !== undefined,
  }
}
