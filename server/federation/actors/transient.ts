/**
 * Actors of other servers that nothing here refers to. When a client asks for the profile of one, it is read and kept in memory, so
 * that people can look at a profile before they follow it.
 */
import { type DidString, type HandleString, isValidDid, type RecordKeyString } from '@atproto/syntax'
import { LRUCache } from 'lru-cache'
import { collections } from '../../platform/config/nsids.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Database } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { idOf } from '../../store/tables/actors.ts'
import { cidBytes } from '../../util/cid.ts'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import type { Requester } from '../../util/requester.ts'
import { createSharedLookup, TooManyLookups } from '../../util/shared-lookup.ts'
import { isWaiting } from '../../util/wait.ts'
import type { FetchRecord } from '../remote/fetch-record.ts'
import * as graph from '../tables/graph.ts'
import type { Actors, Identity } from './actors.ts'
import type { FindHandle } from './find-handle.ts'
import { hostHandle } from './handles.ts'
import { isOfOthers } from './refresh.ts'

export interface TransientActor {
  /** Negative, unlike ids of actors in the store. */
  readonly id: number
  readonly did: DidString
  /** Verified, and unique among known actors; null if it has none. */
  readonly handle: HandleString | null
  readonly profile: graph.RecordRow | undefined
}

export interface TransientActors {
  /** Reads an actor unless it is known, for a few seconds at most. @param identifier handle or DID */
  read(identifier: string, requester: Requester): Promise<void>
  /** Returns an actor that was read. @param identifier handle or DID */
  find(identifier: string): TransientActor | undefined
  /** Returns an actor by its id. */
  get(id: number): TransientActor | undefined
}

interface Deps extends Pick<Platform, 'store' | 'names' | 'log' | 'now'> {
  readonly actors: Pick<Actors, 'identify'>
  readonly findHandle: FindHandle
  readonly fetchRecord: FetchRecord
  /** Whether records of other servers are received: otherwise no server is asked for anything. */
  readonly isOn: () => boolean
  /** Called when a look-up is refused because its requester has too many under way. */
  readonly onRefused?: (() => void) | undefined
}

const maxActors = 200
const maxAgeMs = 10 * 60_000
/** Actors that are read at once. Further ones are not found. */
const places = { perRequester: 4, perKind: 8 }
/** Milliseconds that a client waits. */
const waitMs = 5_000

export function createTransientActors(deps: Deps): TransientActors {
  const { store, log } = deps
  const now = () => deps.now().getTime()
  const byId = new LRUCache<number, TransientActor>({ max: maxActors })
  const byDid = new LRUCache<string, { readonly id: number; readonly at: number }>({ max: maxActors })
  const reads = createSharedLookup<void>({ now: deps.now, places, onRefused: deps.onRefused })
  let lastId = 0

  async function load(identifier: string): Promise<void> {
    const did = await didOf(deps, identifier)
    if (did === undefined || accounts.findByDid(store, did)) return
    const known = byDid.get(did)
    if (known && isWaiting(known.at + maxAgeMs, now(), maxAgeMs)) return
    // This stores the identity of an actor that something here refers to.
    const identity = await deps.actors.identify(did)
    if (idOf(store, did) !== undefined) return
    keep(identity, undefined)
    keep(identity, await fetchProfile(deps, did))
  }

  /** A new id, because the previous rows may be in use. */
  function keep(identity: Identity, profile: Profile | undefined): void {
    const id = --lastId
    const { did } = identity
    const row = profile && { ...profile, id, actor: id, did, indexedAt: now() }
    byId.set(id, { id, did, handle: freeHandle(store, identity), profile: row })
    byDid.set(did, { id, at: now() })
  }

  return {
    async read(identifier, requester) {
      if (!deps.isOn()) return
      const result = reads
        .get(identifier, () => load(identifier), { requester })
        .catch((error: unknown) => {
          if (!isOfOthers(error) && !(error instanceof TooManyLookups)) throw error
          log.debug({ err: error, identifier }, 'actor not found')
        })
      await atMost(waitMs, result)
    },
    find(identifier) {
      const id = identifier.startsWith('did:')
        ? byDid.get(identifier)?.id
        : [...byId.values()].find(({ handle }) => handle === identifier.toLowerCase())?.id
      return id === undefined ? undefined : byId.get(id)
    },
    get: (id) => byId.get(id),
  }
}

async function didOf({ store, findHandle }: Deps, identifier: string): Promise<DidString | undefined> {
  if (isValidDid(identifier)) return identifier
  const handle = identifier.toLowerCase()
  return graph.actorOfHandle(store, handle)?.did ?? (await findHandle(handle, undefined))
}

type Profile = Pick<graph.RecordRow, 'collection' | 'rkey' | 'cid' | 'bytes'>

/** @throws UnresolvableDid, OutboundFailed, OutboundRefused, InvalidProof */
async function fetchProfile({ names, fetchRecord }: Deps, did: DidString): Promise<Profile | undefined> {
  const collection = names.stored(collections.profile)
  const change = await fetchRecord(did, collection, 'self' as RecordKeyString)
  const { content, rkey } = change
  return content && { collection: change.collection, rkey, cid: cidBytes(content.cid), bytes: content.bytes }
}

/** The handle to show for an actor, if it has one that no other actor has. */
function freeHandle(store: Database, { handle, host }: Identity): HandleString | null {
  if (handle === undefined) return null
  const names = [handle, hostHandle(handle, host)]
  return names.find((name) => name !== null && graph.actorOfHandle(store, name) === undefined) ?? null
}

/** Waits for the result, or until the time is over. */
async function atMost(ms: number, result: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setDeadline(over.resolve, ms)
  await Promise.race([result, over.promise]).finally(() => clearDeadline(timer))
}
