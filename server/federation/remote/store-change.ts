/** Stores one verified change of a record of another server, in a transaction, as a change of a record here would be. */
import type { LexMap } from '@atproto/lex-data'
import type { TrustedClock } from '../../platform/clock/trusted-clock.ts'
import type { Platform } from '../../platform/platform.ts'
import { feedItemOf } from '../../repository/records/feed-item.ts'
import type { AfterCommit, RecordEvent, RecordListener } from '../../repository/records/record-events.ts'
import * as records from '../../repository/tables/records.ts'
import type { Writer } from '../../store/database.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import * as evicted from '../tables/evicted-records.ts'
import * as deletions from '../tables/remote-deletions.ts'
import * as interest from '../tables/remote-interest.ts'
import * as remoteRecords from '../tables/remote-records.ts'
import * as silentRecords from '../tables/silent-records.ts'
import type { RemoteChange } from './change.ts'
import type { Filter } from './filter/filter.ts'
import type { Purpose } from './filter/records.ts'
import type { Budgets } from './limits/budgets.ts'
import type { Quota } from './limits/quota.ts'
import { nameOf, type RemoteContent, type RemoteName, readContent } from './read-change.ts'
import { isAlive } from './remote-status.ts'

/** `full`: it would exceed the limit of all records. */
export type Outcome = 'stored' | 'deleted' | 'skipped' | 'overBudget' | 'full'

/** Called with a post or repost that only feeds show. */
export type FeedItemListener = (tx: Writer, event: RecordEvent) => AfterCommit | undefined

export interface Deps extends Pick<Platform, 'names' | 'now'> {
  readonly clock: Pick<TrustedClock, 'now' | 'earliest'>
  readonly filter: Filter
  readonly budgets: Budgets
  readonly quota: Quota
  /** Stores links and blocks. */
  readonly silent: RecordListener
  /** Notifies as well. */
  readonly notifying: RecordListener
  /** Whether a record has notified an account. */
  readonly hasNotified: (tx: Writer, record: number) => boolean
  /** Called with the posts and reposts that only feeds show. */
  readonly feedItemStored: FeedItemListener
  /** Throws StoreFull if the store takes no more of other servers. */
  readonly assertRoom: () => void
}

export interface Options {
  /** Origin of the source. */
  readonly source: string
  readonly notify: boolean
  /** Takes callbacks for after the commit. */
  readonly afterCommit: (callback: AfterCommit | undefined) => void
}

interface NamedChange {
  readonly name: RemoteName
  /** The stored version of the record. */
  readonly before: remoteRecords.RemoteRecord | undefined
  readonly rev: string
}

/** Stores, replaces or deletes a record. An outdated change, or one that concerns no account here, is skipped. */
export function storeChange(deps: Deps, tx: Writer, change: RemoteChange, options: Options): Outcome {
  const name = nameOf(change, deps.names)
  if (!name) return 'skipped'
  const before = remoteRecords.find(tx, name)
  const deletedRev = deletions.revOf(tx, keyOf(name))
  const named = { name, before, rev: change.rev }
  const { content } = change
  if (before && before.cid === content?.cid) {
    confirm(deps, tx, named, before, options)
    return 'skipped'
  }
  if (isLater(before?.rev, change.rev) || isLater(deletedRev, change.rev)) return 'skipped'
  if (!content) return remove(deps, tx, named, options)
  const after = readContent(change, content.bytes, { db: tx, names: deps.names })
  const decision = deps.filter.record(tx, name, after, { isNew: !before, isLive: options.notify })
  // It was replaced by a record that concerns no account here.
  if (!after || !decision.keep) return before ? remove(deps, tx, named, options) : 'skipped'
  if (!isAlive(tx, change, deps.clock)) return 'skipped'
  return put(deps, tx, { ...named, content, after, purpose: decision.purpose }, options)
}

/** Deletions and evictions have our names. */
const keyOf = ({ did, kind, rkey }: RemoteName): interest.NamedRecord => ({ did, collection: kind, rkey })

/** Whether a revision is that of a change or later. */
function isLater(stored: string | null | undefined, rev: string): boolean {
  return typeof stored === 'string' && stored >= rev
}

/** Confirms the stored version of a record. If it was read from the repository before its event came, it notifies now. */
function confirm(
  deps: Deps,
  tx: Writer,
  { name, rev }: NamedChange,
  before: remoteRecords.RemoteRecord,
  options: Options,
): void {
  if (!isLater(before.rev, rev)) remoteRecords.setRev(tx, before.id, rev)
  if (!options.notify || !silentRecords.take(tx, before.id)) return
  const event = eventOf(deps, tx, name, before)
  if (!event) return
  // Its earlier version may have notified.
  const hasNotified = deps.hasNotified(tx, before.id)
  const { recordCreated, recordUpdated } = deps.notifying
  options.afterCommit(hasNotified ? recordUpdated(tx, event, event) : recordCreated(tx, event))
}

function remove(deps: Deps, tx: Writer, { name, before, rev }: NamedChange, options: Options): Outcome {
  if (!before && !interest.isKnown(tx, name.did)) return 'skipped'
  deletions.put(tx, keyOf(name), rev, deps.now().getTime())
  evicted.remove(tx, keyOf(name))
  if (!before) return 'skipped'
  const event = eventOf(deps, tx, name, before)
  records.remove(tx, before.id)
  deps.quota.add(-1, -before.bytes.length)
  if (event) options.afterCommit(listener(deps, options).recordDeleted(tx, event))
  return 'deleted'
}

interface Put extends NamedChange {
  readonly content: { readonly cid: string; readonly bytes: Uint8Array }
  readonly after: RemoteContent
  readonly purpose: Purpose
}

function put(
  deps: Deps,
  tx: Writer,
  { name, before, rev, content, after, purpose }: Put,
  options: Options,
): Outcome {
  const { did, collection, rkey } = name
  const { cid, bytes } = content
  const { source, notify } = options
  const growth = bytes.length - (before?.bytes.length ?? 0)
  if (!deps.quota.fits(growth)) return 'full'
  if (!deps.budgets.take(tx, { source, did, links: after.links, notify })) return 'overBudget'
  if (!deps.quota.fitsAuthor(tx, did, growth)) return 'overBudget'
  deps.assertRoom()
  const at = iso(deps.now())
  const row = { did, collection, rkey, cid, bytes, indexedAt: at }
  const previous = before && eventOf(deps, tx, name, before)
  if (before) records.update(tx, before.id, row, after.blobs, rev)
  const id = before?.id ?? records.insert(tx, row, after.blobs, rev)
  const hasNotified = !before && evicted.has(tx, keyOf(name))
  if (notify) silentRecords.take(tx, id)
  else if (!hasNotified) silentRecords.add(tx, id)
  deletions.remove(tx, keyOf(name))
  deps.quota.add(before ? 0 : 1, growth)
  const event = { id, did, collection: name.kind, rkey, cid, bytes, at, ...after }
  const listeners = listener(deps, { notify: notify && !hasNotified })
  options.afterCommit(
    previous ? listeners.recordUpdated(tx, event, previous) : listeners.recordCreated(tx, event),
  )
  if (purpose === 'feed') options.afterCommit(deps.feedItemStored(tx, event))
  if (purpose !== 'lasting') {
    const isOld = purpose === 'feed' && !notify
    remoteRecords.putFeedItem(tx, id, isOld ? sortTime(name.kind, after.record, at) : Date.parse(at))
  }
  return 'stored'
}

const listener = ({ silent, notifying }: Deps, { notify }: Pick<Options, 'notify'>) =>
  notify ? notifying : silent

function sortTime(collection: string, record: LexMap, at: DatetimeString): number {
  const written = Date.parse(at)
  return Math.min(feedItemOf(collection, record)?.createdAt ?? written, written)
}

/** Returns undefined for a stored record that this version no longer reads. */
function eventOf(
  { names, now }: Deps,
  tx: Writer,
  { did, collection, rkey, kind }: RemoteName,
  { id, cid, bytes }: remoteRecords.RemoteRecord,
): RecordEvent | undefined {
  const content = readContent({ did, collection, rkey }, bytes, { db: tx, names })
  return content && { id, did, collection: kind, rkey, cid, bytes, at: iso(now()), ...content }
}
