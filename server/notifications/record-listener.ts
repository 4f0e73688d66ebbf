/** Keeps notifications in step with records, in the transaction that writes them. */
import { isValidDid } from '@atproto/syntax'
import type { Aliases } from '../config/aliases.ts'
import type { RecordEvent, RecordListener } from '../records/events.ts'
import type { Writer } from '../store/database.ts'
import { hostedAmong } from '../store/tables/accounts.ts'
import * as fanOuts from '../store/tables/fan-outs.ts'
import * as follows from '../store/tables/follows.ts'
import * as notifications from '../store/tables/notifications.ts'
import { announcing, arrivalTime } from './arrival.ts'
import { derive, followCollection, postCollection, verificationCollection } from './derive.ts'
import type { NotificationEvents } from './events.ts'
import { beginFanOut } from './fan-out.ts'
import { subjectReader } from './subjects.ts'

export interface RecordListenerOptions {
  readonly aliases: Aliases
  readonly events: NotificationEvents
  /** Called when a post has more subscribers than were told with it: runs `finishFanOuts`. */
  readonly onMoreSubscribers: () => void
}

export function createRecordListener(options: RecordListenerOptions): RecordListener {
  const { aliases, events, onMoreSubscribers } = options
  const derived = (tx: Writer, event: RecordEvent) => derive(event, subjectReader(tx, aliases))

  return {
    recordCreated(tx, event) {
      let more = false
      const announce = announcing(tx, events, () => {
        addFollow(tx, event)
        tell(tx, event, derived(tx, event))
        more = notifySubscribers(tx, event)
      })
      return () => {
        announce?.()
        if (more) onMoreSubscribers()
      }
    },

    // Whoever knows of the record is not told again, and what is no longer so is taken back.
    recordUpdated: (tx, event, previous) =>
      announcing(tx, events, () => {
        removeFollow(tx, previous)
        addFollow(tx, event)
        const wanted = derived(tx, event)
        const known = new Set<string>()
        for (const old of notifications.ofRecord(tx, sourceOf(event))) {
          const stays = old.reason === 'subscribed-post' || wanted.some((one) => isSame(one, old))
          if (stays) known.add(old.to)
          else notifications.remove(tx, old.id)
        }
        const added = wanted.filter(({ to }) => !known.has(to))
        tell(tx, event, added)
        if (event.record.subject !== previous.record.subject) tellUnverified(tx, previous)
      }),

    recordDeleted: (tx, event) =>
      announcing(tx, events, () => {
        removeFollow(tx, event)
        fanOuts.remove(tx, sourceOf(event))
        notifications.removeOfRecord(tx, sourceOf(event))
        tellUnverified(tx, event)
      }),
  }
}

function addFollow(tx: Writer, event: RecordEvent): void {
  const { subject } = event.record
  if (event.collection === followCollection && typeof subject === 'string' && isValidDid(subject)) {
    follows.add(tx, sourceOf(event), subject)
  }
}

function removeFollow(tx: Writer, event: RecordEvent): void {
  if (event.collection === followCollection) follows.remove(tx, sourceOf(event))
}

/** Tells those who have an account here. One that is told twice is told at different moments. */
function tell(
  tx: Writer,
  event: RecordEvent,
  told: readonly notifications.NewNotification[],
  deleted?: notifications.DeletedRecord,
): void {
  if (told.length === 0) return
  const hosted = hostedAmong(
    tx,
    told.map(({ to }) => to),
  )
  const times = new Map<string, number>()
  const rounds = Map.groupBy(
    told.filter(({ to }) => hosted.has(to)),
    ({ to }) => {
      const round = times.get(to) ?? 0
      times.set(to, round + 1)
      return round
    },
  )
  for (const round of rounds.values()) {
    notifications.insert(tx, sourceOf(event), round, arrivalTime(tx, event.at), deleted)
  }
}

function notifySubscribers(tx: Writer, event: RecordEvent): boolean {
  if (event.collection !== postCollection) return false
  const isReply = event.record.reply !== undefined
  return beginFanOut(tx, { ...sourceOf(event), isReply }, event.at)
}

/** The record of a verification that is taken back is shown nowhere else: it is kept with what it tells. */
function tellUnverified(tx: Writer, event: RecordEvent): void {
  const { did, collection, cid, bytes, uri } = event
  const to = event.record.subject
  if (collection !== verificationCollection || typeof to !== 'string' || to === did) return
  tell(tx, event, [{ to, reason: 'unverified', reasonSubject: uri }], { cid, bytes })
}

function sourceOf({ did, uri, rkey }: RecordEvent): notifications.Source {
  const [collection = ''] = uri.slice(`at://${did}/`.length).split('/')
  return { did, collection, rkey }
}

function isSame(a: notifications.NewNotification, b: notifications.ExistingNotification): boolean {
  return a.to === b.to && a.reason === b.reason && (a.reasonSubject ?? null) === b.reasonSubject
}
