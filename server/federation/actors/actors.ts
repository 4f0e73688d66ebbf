/**
 * Identities of actors of other servers: their keys, servers and handles. They are kept for a day, in the store for actors that
 * records here refer to, in memory for others.
 *
 * Read this first. `locate.ts` looks them up, by directory or by operation log; `refresh.ts` keeps shown profiles up to date;
 * `transient.ts` has profiles that are only looked at.
 */
import type { DidString, HandleString } from '@atproto/syntax'
import { LRUCache } from 'lru-cache'
import { busy, UnresolvableDid } from '../../identity/did/resolver.ts'
import type { Database, Writer } from '../../store/database.ts'
import { upToEntries } from '../../util/entry-limit.ts'
import type { DidKey } from '../../util/keys.ts'
import type { Requester } from '../../util/requester.ts'
import { createSharedLookup, TooManyLookups } from '../../util/shared-lookup.ts'
import { isWaiting } from '../../util/wait.ts'
import * as remoteActors from '../tables/remote-actors.ts'
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
  /**
   * The oldest known identity that is accepted; a day by default. 0 always starts a look-up; infinity accepts one that is marked as
   * changed, too: the server that reported both the change and a deletion has no other.
   */
  readonly maxAgeMs?: number
  /** Undefined: a job of this server, or a look-up that is limited by itself. */
  readonly requester?: Requester | undefined
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
  /** As `forget`, for all identities of a server whose events were missed. @param host its origin */
  forgetHost(host: string): Promise<void>
  /** Stores a known identity in the transaction that first refers to its DID. */
  keep(tx: Writer, did: string): void
  /** Asks for a refresh of profiles in the background, if it is time to: of actors that are new here, shown, or have changed. */
  requestRefresh(dids: Iterable<string>): void
  /** Sets the listener of these requests. */
  onRefreshRequest(listener: (dids: Iterable<string>) => void): void
}

export type ActorsDeps = ReadIdentityDeps & {
  readonly store: Database
  /** Called when a look-up is refused because its requester has too many under way. */
  readonly onRefused?: (() => void) | undefined
}

const minute = 60_000
const day = 24 * 60 * minute
/** How long the absence of a DID is cached. */
const failureMaxAgeMs = minute
/** Look-ups of one DID in a minute: sources can say at any time that an identity has changed. */
const lookupsPerMinute = 5
/** An upstream examines 20 events at once. */
const places = { perRequester: 25, perKind: 100 }
const cacheEntries = 2_000
const cacheBytes = 8_000_000

export function createActors(deps: ActorsDeps): Actors {
  let requestRefresh: Actors['requestRefresh'] = () => {}
  const { store } = deps
  const now = () => deps.now().getTime()
  const cache = new LRUCache<string, KnownIdentity>({
    max: cacheEntries,
    maxSize: cacheBytes,
    sizeCalculation: ({ log }) => (log ? JSON.stringify(log).length : 1),
  })
  const lookups = createSharedLookup<KnownIdentity>({
    now: deps.now,
    missingMs: failureMaxAgeMs,
    entries: cacheEntries,
    keepsFailure: (error) => error instanceof UnresolvableDid && !error.isOutage,
    places,
    onRefused: deps.onRefused,
  })
  const recent = new LRUCache<string, readonly number[]>(upToEntries(cacheEntries))

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

  /** Counts a look-up. @throws UnresolvableDid if there were too many */
  function countLookup(did: string): void {
    const times = (recent.get(did) ?? []).filter((at) => isWaiting(at + minute, now(), minute))
    if (times.length >= lookupsPerMinute) {
      throw new UnresolvableDid(`${did}: looked up too often`, { isOutage: true })
    }
    recent.set(did, [...times, now()])
  }

  /** @param prefersKnown whether the known host is preferred to `via` */
  async function lookUp(did: string, via: string | undefined, prefersKnown = true): Promise<KnownIdentity> {
    countLookup(did)
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
  async function shared(did: string, { via, ...options }: IdentifyOptions): Promise<KnownIdentity> {
    const running = lookups.running(did)
    if (running) return running
    return lookups
      .get(did, () => lookUp(did, via), options)
      .catch((error: unknown) => {
        throw error instanceof TooManyLookups ? busy(did, error) : error
      })
  }

  return {
    async identify(did, { via, requester, maxAgeMs = day } = {}) {
      const known = find(did)
      const resolvedAt = known?.identity.resolvedAt ?? Number.NEGATIVE_INFINITY
      const isAccepted =
        maxAgeMs === Number.POSITIVE_INFINITY || isWaiting(resolvedAt + maxAgeMs, now(), maxAgeMs)
      if (known && isAccepted) return identityOf(did, known)
      try {
        return identityOf(did, await shared(did, { via, requester, maxAgeMs }))
      } catch (error) {
        const isOutage = error instanceof UnresolvableDid && error.isOutage
        if (!isOutage || !known || maxAgeMs === 0) throw error
        return identityOf(did, known)
      }
    },
    async rehost(did, origin) {
      await lookups.running(did)?.catch(() => {})
      if (!find(did)?.log) return false
      return (await lookUp(did, origin, false)).identity.host === origin
    },
    async forget(did) {
      lookups.forgetFailure(did)
      // A look-up that is under way may have read the old document.
      await lookups.running(did)?.catch(() => {})
      const known = find(did)
      if (!known) return
      cache.set(did, withoutTime(known))
      await store.transact((tx) => remoteActors.expire(tx, did))
      requestRefresh([did])
    },
    async forgetHost(host) {
      // A copy: an entry that is set moves to the end of those that are listed.
      for (const [did, known] of [...cache.entries()])
        if (known.identity.host === host) cache.set(did, withoutTime(known))
      await store.transact((tx) => remoteActors.expireHost(tx, host))
    },
    keep(tx, did) {
      const known = cache.get(did)
      if (known && !remoteActors.find(tx, did)) write(tx, did, known)
    },
    requestRefresh: (dids) => requestRefresh(dids),
    onRefreshRequest(listener) {
      requestRefresh = listener
    },
  }
}

/** Returns an identity that has to be read again. */
function withoutTime(known: KnownIdentity): KnownIdentity {
  return { ...known, identity: { ...known.identity, resolvedAt: null } }
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
