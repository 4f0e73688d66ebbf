/**
 * Takes verified changes of records of other servers, and stores the ones that concern accounts here in the tables of all records: so they
 * notify, count and are shown as records of accounts here are. Read this first.
 *
 * Sources report changes as `change.ts` has them. Repositories after a gap are read by `catch-up.ts`, posts that records here refer to
 * by `wanted-records.ts`; `recheck.ts` finds deletions, `eviction.ts` makes room. `filter/` decides what
 * is kept, `limits/` how much.
 */
import type { DidString } from '@atproto/syntax'
import type { TrustedClock } from '../../platform/clock/trusted-clock.ts'
import type { Platform } from '../../platform/platform.ts'
import { createTidClock } from '../../repository/format/tid.ts'
import type { AfterCommit, RecordListener } from '../../repository/records/record-events.ts'
import type { Writer } from '../../store/database.ts'
import { StoreFull, StoreUnavailable } from '../../store/files/store-errors.ts'
import { realElapsed } from '../../util/deadlines.ts'
import { nextTurn, pieceMs } from '../../util/turns.ts'
import type { RemoteChange } from './change.ts'
import { createEviction } from './eviction.ts'
import type { Filter } from './filter/filter.ts'
import type { Limits } from './limits/limits.ts'
import { stored } from './limits/numbers.ts'
import type { Usage } from './limits/quota.ts'
import { readContent } from './read-change.ts'
import { deleteOutdated } from './remote-retention.ts'
import { type RemoteStatus, setStatus } from './remote-status.ts'
import { type FeedItemListener, type Outcome, storeChange } from './store-change.ts'

export interface ApplyOptions {
  /** Called in the last transaction: a source stores its cursor there. */
  readonly last?: (tx: Writer) => void
  /** Whether the changes may notify; default true. */
  readonly notify?: boolean
  /** Called with the author of each change that a budget refused. */
  readonly onRefused?: (did: DidString) => void
}

/** How many of the changes were stored (created or replaced), deleted, skipped, or refused by a budget. */
export interface Applied {
  readonly stored: number
  readonly deleted: number
  /** Concerned no account here, or were outdated. */
  readonly skipped: number
  readonly overBudget: number
}

export interface Intake {
  /**
   * Applies verified changes in order, in transactions of a few milliseconds. Resolves when they are on disk.
   * @param source origin of the source
   * @throws StoreFull, StoreUnavailable: only some changes were applied, and `last` is still to be called. Try again later
   */
  apply(source: string, changes: readonly RemoteChange[], options?: ApplyOptions): Promise<Applied>
  /** Whether a budget would refuse a new record: then a change need not be verified. */
  isOverBudget(source: string, change: RemoteChange): boolean
  /**
   * Sets the status of an actor that has no account here. Deleted: all its records are deleted.
   * @param status undefined: active
   * @param last called in the last transaction
   */
  setStatus(did: string, status: RemoteStatus | undefined, last?: (tx: Writer) => void): Promise<void>
  /** Deletes outdated records; none because of their age while the clock is implausible. */
  deleteOutdated(): Promise<void>
  /** Deletes all records except unread ones and those that accounts here have interacted with. */
  purge(): Promise<void>
  /** Sets the listener of the posts and reposts that only feeds show, called in the transaction that stores them. */
  onFeedItem(listener: FeedItemListener): void
  /** The room that records of other servers take. */
  usage(): Promise<IntakeUsage>
}

export interface IntakeUsage extends Usage {
  /** When a record was last refused because the limit was reached, since the start of the server. */
  readonly lastRefusedAt: Date | undefined
  /** Whether `purge` is running. */
  readonly isPurging: boolean
}

export interface IntakeDeps extends Pick<Platform, 'store' | 'names' | 'now' | 'log' | 'signal'> {
  readonly filter: Filter
  readonly limits: Pick<Limits, 'quota' | 'budgets'>
  readonly clock: Pick<TrustedClock, 'now' | 'earliest' | 'isPlausible'>
  /** Called for records that do not notify. */
  readonly silent: RecordListener
  /** Called for the others. */
  readonly notifying: RecordListener
  /** Whether a record has notified an account. */
  readonly hasNotified: (tx: Writer, record: number) => boolean
}

export function createIntake({
  store,
  names,
  filter,
  limits: { quota, budgets },
  now,
  clock,
  log,
  signal,
  ...listeners
}: IntakeDeps): Intake {
  const eviction = createEviction({ store, quota, names, log, now, signal })
  let lastRefusedAt: Date | undefined
  const nextTid = createTidClock(now)
  let isFull = false
  /** Whether the store has room, as far as the current transaction knows. */
  let hasRoom = false
  const assertRoom = () => {
    if (!hasRoom) store.assertRoom(stored.freeReserves)
    hasRoom = true
  }
  let feedItemStored: FeedItemListener = () => undefined
  const deps = {
    ...{ ...listeners, names, now, clock, filter, budgets, quota, assertRoom },
    feedItemStored: (...item: Parameters<FeedItemListener>) => feedItemStored(...item),
  }

  /** Applies changes until the time is up, or one needs more room. */
  function applySome(tx: Writer, slice: Slice): Result {
    const { source, changes, from, isSingle, last, notify = true } = slice
    const callbacks: AfterCommit[] = []
    const afterCommit = (callback: AfterCommit | undefined) => void (callback && callbacks.push(callback))
    const outcomes: Result['outcomes'][number][] = []
    hasRoom = false
    const end = isSingle ? 0 : realElapsed() + pieceMs
    do {
      const change = changes[from + outcomes.length]
      if (!change) break
      const isLocal = filter.isLocal(change.did)
      const outcome = isLocal ? 'skipped' : storeChange(deps, tx, change, { source, notify, afterCommit })
      if (outcome === 'full' && !slice.isRefusing) return { outcomes, callbacks, tooLarge: change }
      if (outcome === 'full') lastRefusedAt = now()
      outcomes.push(outcome === 'full' ? 'overBudget' : outcome)
    } while (realElapsed() < end)
    if (from + outcomes.length === changes.length) last?.(tx)
    return { outcomes, callbacks }
  }

  /** As `applySome`. If a change fails, the changes are applied one by one and that one is skipped, so that its source goes on. */
  async function applySlice(slice: Slice): Promise<Result> {
    try {
      return await store.transact((tx) => applySome(tx, slice))
    } catch (error) {
      quota.recount()
      if (error instanceof StoreFull || error instanceof StoreUnavailable) throw error
      if (!slice.isSingle) return applySlice({ ...slice, isSingle: true })
      const { did, collection, rkey } = slice.changes[slice.from] ?? {}
      log.error({ err: error, did, collection, rkey }, 'remote change failed')
      if (slice.from + 1 === slice.changes.length) await store.transact((tx) => slice.last?.(tx))
      return { outcomes: ['skipped'], callbacks: [] }
    }
  }

  /** Logs once when the store is full, and once when it takes changes again. */
  function noteFull(full: boolean): void {
    if (full !== isFull)
      log.warn(full ? 'store full: remote changes are refused' : 'remote changes are stored again')
    isFull = full
  }

  return {
    async apply(source, changes, options = {}) {
      await quota.count()
      const counts = { stored: 0, deleted: 0, skipped: 0, overBudget: 0 }
      let from = 0
      let isRefusing = false
      do {
        await nextTurn()
        const slice: Slice = { ...options, source, changes, from, isRefusing, isSingle: false }
        const { outcomes, callbacks, tooLarge } = await applySlice(slice).catch((error: unknown) => {
          if (error instanceof StoreFull) noteFull(true)
          throw error
        })
        for (const [index, outcome] of outcomes.entries()) {
          counts[outcome]++
          const change = changes[from + index]
          if (outcome === 'overBudget' && change) options.onRefused?.(change.did)
        }
        for (const callback of callbacks) callback()
        from += outcomes.length
        isRefusing = tooLarge !== undefined && !(await eviction.makeRoom(tooLarge.content?.bytes.length ?? 0))
        if (from < changes.length) await store.keepPace()
      } while (from < changes.length)
      if (counts.stored > 0) noteFull(false)
      return counts
    },
    isOverBudget: (source, change) =>
      budgets.isSpent(store, { source, did: change.did }, () => {
        const bytes = change.content?.bytes
        const content = bytes && readContent(change, bytes, { db: store, names })
        return content?.links ?? []
      }),
    setStatus: (did, status, last) => setStatus({ store, clock, nextTid }, did, status, last),
    deleteOutdated: () => deleteOutdated({ store, quota, eviction, now, clock }),
    purge: () => eviction.purge(),
    onFeedItem(listener) {
      feedItemStored = listener
    },
    async usage() {
      await quota.count()
      return { ...quota.usage(), lastRefusedAt, isPurging: eviction.isPurging }
    },
  }
}

interface Slice extends ApplyOptions {
  readonly source: string
  readonly changes: readonly RemoteChange[]
  readonly from: number
  /** Whether changes beyond the limit are refused, because no room can be made. */
  readonly isRefusing: boolean
  /** Whether only one change is applied. */
  readonly isSingle: boolean
}

interface Result {
  readonly outcomes: readonly Exclude<Outcome, 'full'>[]
  readonly callbacks: readonly AfterCommit[]
  /** The next change, if it needs more room. */
  readonly tooLarge?: RemoteChange
}
