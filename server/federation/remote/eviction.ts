/**
 * Evicts records of other servers: to make room for new ones, or because the owner wants to. Records that an account here has still to read
 * or has interacted with stays.
 */

import type { Platform } from '../../platform/platform.ts'
import type { Database, Writer } from '../../store/database.ts'
import { StoreUnavailable } from '../../store/files/store-errors.ts'
import { inSlices } from '../../store/slices.ts'
import { isWaiting } from '../../util/wait.ts'
import * as evicted from '../tables/evicted-records.ts'
import * as remoteRecords from '../tables/remote-records.ts'
import * as repositories from '../tables/remote-repositories.ts'
import type { Quota } from './limits/quota.ts'

export interface Eviction {
  /**
   * Evicts the oldest records, the least important kind first, until a record fits and some room is left for the next ones. If that
   * fails, it is tried again after a minute. Calls that come meanwhile share one run.
   * @param bytes of the record @returns whether it fits
   * @throws StoreUnavailable
   */
  makeRoom(bytes: number): Promise<boolean>
  /** Evicts all records that may be evicted, but blocks. Calls that come meanwhile share one run. @throws StoreUnavailable */
  purge(): Promise<void>
  readonly isPurging: boolean
}

interface Deps extends Pick<Platform, 'names' | 'store' | 'log' | 'now' | 'signal'> {
  readonly quota: Quota
}

/** Kinds of records that refer to accounts here, the first ones to be evicted first: names of collections without their authority. */
const responses = { names: ['feed.like', 'feed.repost'], ofWatched: true }
const posts = { names: ['feed.post'], ofWatched: true }
const relations = { names: ['graph.follow', 'graph.verification', 'actor.profile'], ofWatched: false }
const blocks = { names: ['graph.block'], ofWatched: false }

type Kind = Parameters<typeof remoteRecords.readRecords>[1]

/** The part of the limit that is in use after room was made. */
const shareInUse = 0.95
/** Milliseconds until it is tried again: each attempt examines all records. */
const pauseMs = 60_000
const notPaused = Number.NEGATIVE_INFINITY
/** Records that are evicted at once, and ids that are examined: some milliseconds of work. */
const batch = 8
const rangeSize = 100
/** Ids of actors that are examined at once. */
const forgottenRange = 20
/** Evicted records that are remembered, per byte of the limit: about as many as fit into it. */
const remembered = 1 / 500

export function createEviction(deps: Deps): Eviction {
  const { store, quota, log } = deps
  const { limit } = quota.usage()
  let making: Promise<void> | undefined
  let purging: Promise<void> | undefined
  let pausedUntil = notPaused

  async function make(bytes: number): Promise<void> {
    const isDone = () => quota.fits(Math.max(bytes, limit * (1 - shareInUse)))
    await evict(deps, [responses, posts, relations, blocks], isDone)
    if (deps.signal.aborted) return
    // Logged once, until room was made.
    if (!isDone() && pausedUntil === notPaused) log.warn({ limit }, 'limit of remote records reached')
    pausedUntil = isDone() ? notPaused : deps.now().getTime() + pauseMs
  }

  async function purge(): Promise<void> {
    await quota.count()
    await evict(deps, [responses, posts, relations], () => false)
    if (deps.signal.aborted) return
    await deleteForgotten(store)
    // So that a catch-up reads them again.
    await inSlices(store, (tx) => repositories.removeSome(tx, batch) > 0)
    quota.recount()
    await quota.count()
  }

  return {
    async makeRoom(bytes) {
      if (!quota.fits(bytes) && !isWaiting(pausedUntil, deps.now().getTime(), pauseMs)) {
        making ??= make(bytes).finally(() => {
          making = undefined
        })
        await making
        // Refused records are not read again, and these might have fitted.
        if (deps.signal.aborted) throw new StoreUnavailable('The server is closing.')
      }
      return quota.fits(bytes)
    },
    purge() {
      purging ??= purge().finally(() => {
        purging = undefined
      })
      return purging
    },
    get isPurging() {
      return purging !== undefined
    },
  }
}

/** Evicts records in short transactions: first unreferenced ones, then one kind after the other, each from the oldest on. */
async function evict(deps: Deps, kinds: readonly Kind[], isDone: () => boolean): Promise<void> {
  const { store, quota, now, signal } = deps
  const isEnded = () => signal.aborted || isDone()
  const at = now().getTime()
  try {
    await inSlices(
      store,
      (tx) => !isEnded() && evictOldest(tx, { before: at, at, limit: batch }, quota.add) === batch,
    )
    for (const kind of kinds) {
      const last = remoteRecords.lastRecord(store)
      let after = 0
      await inSlices(store, (tx) => {
        after = evictSome(deps, tx, { kind, after, isEnded })
        return after < last && !isEnded()
      })
    }
  } catch (error) {
    quota.recount()
    throw error
  }
}

/**
 * Evicts the unreferenced ones of the oldest records; the others are examined again after all other records.
 * @param removed called for each with the difference of records and bytes @returns how many were examined
 */
export function evictOldest(
  tx: Writer,
  { before, at, limit }: { readonly before: number; readonly at: number; readonly limit: number },
  removed: Quota['add'],
): number {
  const items = remoteRecords.oldestFeedItems(tx, before, limit)
  for (const item of items) {
    if (item.isUsed) {
      remoteRecords.touchFeedItem(tx, item.record, at)
      continue
    }
    remoteRecords.evict(tx, item.record)
    removed(-1, -item.bytes)
  }
  return items.length
}

interface Scan {
  readonly kind: Kind
  /** Id up to which records were examined. */
  readonly after: number
  readonly isEnded: () => boolean
}

/** Evicts some records of a kind, and with the last one of an actor its profile. @returns the id up to which records were examined */
function evictSome({ quota, names }: Deps, tx: Writer, { kind, after, isEnded }: Scan): number {
  const upTo = after + rangeSize
  const found = remoteRecords.readRecords(tx, kind, { after, upTo }, batch)
  for (const { record, actor, bytes, did, collection, rkey, hasNotified } of found) {
    if (isEnded()) return record - 1
    if (hasNotified)
      evicted.add(
        tx,
        { did, collection: names.own(collection), rkey },
        Math.ceil(quota.usage().limit * remembered),
      )
    remoteRecords.evict(tx, record)
    quota.add(-1, -bytes)
    if (remoteRecords.forgottenActor(tx, { after: actor - 1, upTo: actor }) === undefined) continue
    const rest = remoteRecords.removeSome(tx, actor, batch)
    quota.add(-rest.records, -rest.bytes)
  }
  return found[batch - 1]?.record ?? upTo
}

/** Deletes the records of actors that have lost all relations to accounts here, in both directions. */
export async function deleteForgotten(store: Database): Promise<void> {
  let after = 0
  await inSlices(store, (tx) => {
    const upTo = after + forgottenRange
    const actor = remoteRecords.forgottenActor(tx, { after, upTo })
    if (actor === undefined) after = upTo
    else remoteRecords.removeSome(tx, actor, forgottenRange)
    return after < remoteRecords.lastActor(tx)
  })
}
