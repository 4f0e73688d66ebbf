/** Updates notifications when records change, in the transaction that writes the records. */
import type { Names } from '../../platform/config/aliases.ts'
import { collections } from '../../platform/config/nsids.ts'
import type { RecordEvent, RecordListener } from '../../repository/records/record-events.ts'
import type { Writer } from '../../store/database.ts'
import { hostedAmong } from '../../store/tables/accounts.ts'
import * as follows from '../tables/follows.ts'
import * as notifications from '../tables/notifications.ts'
import { allowsReply } from '../views/filter/gates.ts'
import { arrivalTime, trackArrivals } from './arrival.ts'
import type { NotificationEvents } from './arrivals.ts'
import { derive } from './derive.ts'
import { beginFanOut } from './fan-out.ts'
import { threadLinks } from './thread-links.ts'

interface Deps {
  readonly names: Names
  readonly events: NotificationEvents
  /** Called after the commit if a post has more subscribers than one batch: runs `finishFanOuts`. */
  readonly onMoreSubscribers: () => void
}

/** Call it after the listener that stores links. */
export function createRecordListener({ names, events, onMoreSubscribers }: Deps): RecordListener {
  return {
    recordCreated(tx, event) {
      let hasMore = false
      const publish = trackArrivals(tx, events, () => {
        updateFollowed(tx, event)
        notify(tx, event, permitted(tx, event, names))
        hasMore = notifySubscribers(tx, event)
      })
      return () => {
        publish?.()
        if (hasMore) onMoreSubscribers()
      }
    },

    recordUpdated: (tx, event, previous) =>
      trackArrivals(tx, events, () => {
        updateFollowed(tx, previous)
        updateFollowed(tx, event)
        notify(tx, event, removeOutdated(tx, event, permitted(tx, event, names)))
        if (event.record.subject !== previous.record.subject) notifyUnverified(tx, previous)
      }),

    // The notifications of the record are deleted by foreign keys.
    recordDeleted: (tx, event) =>
      trackArrivals(tx, events, () => {
        updateFollowed(tx, event)
        notifyUnverified(tx, event)
      }),
  }
}

/** Creates no notifications, but deletes outdated ones after an update. */
export function createSilentListener({ names }: Pick<Deps, 'names'>): RecordListener {
  return {
    recordCreated: () => undefined,
    recordUpdated(tx, event) {
      removeOutdated(tx, event, permitted(tx, event, names))
      return undefined
    },
    recordDeleted: () => undefined,
  }
}

/** A reply that the gate of its thread does not permit notifies of its mentions and quotes only. */
function permitted(tx: Writer, event: RecordEvent, names: Names): notifications.NewNotification[] {
  const derived = derive({ ...event, links: threadLinks(tx, event, names) }, names)
  const isPermitted = !derived.some(isReply) || allowsReply({ db: tx, names }, event)
  return isPermitted ? derived : derived.filter((notification) => !isReply(notification))
}

const isReply = ({ reason }: notifications.NewNotification) => reason === 'reply'

/** On update: keeps existing notifications that still apply, deletes the rest. @returns those for new recipients */
function removeOutdated(
  tx: Writer,
  event: RecordEvent,
  derived: readonly notifications.NewNotification[],
): notifications.NewNotification[] {
  const keptRecipients = new Set<string>()
  for (const existing of notifications.ofRecord(tx, event.id)) {
    const applies = existing.reason === 'subscribed-post' || derived.some((one) => isSame(one, existing))
    if (applies) keptRecipients.add(existing.to)
    else notifications.remove(tx, existing.id)
  }
  return derived.filter(({ to }) => !keptRecipients.has(to))
}

function updateFollowed(tx: Writer, { did, collection, links }: RecordEvent): void {
  if (collection !== collections.follow) return
  for (const link of links) follows.updateFollowed(tx, did, link.did)
}

/** Inserts the notifications whose recipients have an account here. */
function notify(
  tx: Writer,
  event: RecordEvent,
  derived: readonly notifications.NewNotification[],
  deleted?: notifications.DeletedRecord,
): void {
  if (derived.length === 0) return
  const hosted = hostedAmong(
    tx,
    derived.map(({ to }) => to),
  )
  const inserted = derived.filter(({ to }) => hosted.has(to))
  for (const batch of onePerRecipient(inserted)) {
    notifications.insert(tx, sourceOf(event), batch, arrivalTime(tx, event.at), deleted)
  }
}

/** Splits notifications into batches with one per recipient, because `indexedAt` must be unique per account. */
function onePerRecipient(all: readonly notifications.NewNotification[]): notifications.NewNotification[][] {
  const counts = new Map<string, number>()
  const batches = Map.groupBy(all, ({ to }) => {
    const batch = counts.get(to) ?? 0
    counts.set(to, batch + 1)
    return batch
  })
  return [...batches.values()]
}

/** Notifies the first batch of subscribers of a post's author. @returns whether subscribers remain */
function notifySubscribers(tx: Writer, event: RecordEvent): boolean {
  if (event.collection !== collections.post) return false
  const isReply = event.record.reply !== undefined
  return beginFanOut(tx, { ...sourceOf(event), isReply }, event.at)
}

/** Notifies the subject of a deleted verification. The record is stored with the notification, because it is deleted. */
function notifyUnverified(tx: Writer, event: RecordEvent): void {
  const { did, collection, cid, bytes } = event
  const to = event.record.subject
  if (collection !== collections.verification || typeof to !== 'string' || to === did) return
  notify(tx, event, [{ to, reason: 'unverified' }], { cid, bytes })
}

function sourceOf({ did, uri, rkey }: RecordEvent): notifications.Source {
  const [collection = ''] = uri.slice(`at://${did}/`.length).split('/')
  return { did, collection, rkey }
}

function isSame(a: notifications.NewNotification, b: notifications.NewNotification): boolean {
  return a.to === b.to && a.reason === b.reason && keyOf(a) === keyOf(b)
}

function keyOf({ subject }: notifications.NewNotification): string | undefined {
  return subject && `${subject.did}/${subject.collection}/${subject.rkey}`
}
