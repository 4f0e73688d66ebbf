/** Keeps notifications in step with records, in the transaction that writes them. */
import { isValidDid } from '@atproto/syntax'
import type { Aliases } from '../aliases.ts'
import type { AfterCommit, RecordEvent, RecordListener } from '../records/events.ts'
import type { Writer } from '../store/database.ts'
import * as follows from '../store/follows.ts'
import * as notifications from '../store/notifications.ts'
import { type DatetimeString, iso } from '../time.ts'
import { derive, followCollection, postCollection, verificationCollection } from './derive.ts'
import type { NotificationEvents } from './events.ts'
import { subjectReader } from './subjects.ts'

export interface RecordListenerOptions {
  readonly aliases: Aliases
  readonly events: NotificationEvents
}

export function createRecordListener({ aliases, events }: RecordListenerOptions): RecordListener {
  const derived = (tx: Writer, event: RecordEvent) => derive(event, subjectReader(tx, aliases))

  /** What arrives while `work` runs is published when it is on disk. */
  function publishing(tx: Writer, work: () => void): AfterCommit | undefined {
    const after = notifications.lastId(tx)
    work()
    const upTo = notifications.lastId(tx)
    return upTo > after ? () => events.publish({ after, upTo }) : undefined
  }

  return {
    recordCreated: (tx, event) =>
      publishing(tx, () => {
        addFollow(tx, event)
        const told = derived(tx, event)
        tell(tx, event, told)
        if (event.collection === postCollection) tellSubscribers(tx, event, told)
      }),

    // Whoever knows of the record is not told again, and what is no longer so is taken back.
    recordUpdated: (tx, event, previous) =>
      publishing(tx, () => {
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
      publishing(tx, () => {
        removeFollow(tx, event)
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

/** An account that is told twice is told at different moments. */
function tell(tx: Writer, event: RecordEvent, told: readonly notifications.NewNotification[]): void {
  const times = new Map<string, number>()
  const rounds = Map.groupBy(told, ({ to }) => {
    const round = times.get(to) ?? 0
    times.set(to, round + 1)
    return round
  })
  for (const round of rounds.values()) {
    notifications.insert(tx, sourceOf(event), round, arrivalTime(tx, event.at))
  }
}

function tellSubscribers(
  tx: Writer,
  event: RecordEvent,
  told: readonly notifications.NewNotification[],
): void {
  notifications.insertForSubscribers(tx, sourceOf(event), {
    isReply: event.record.reply !== undefined,
    except: told.map(({ to }) => to),
    indexedAt: arrivalTime(tx, event.at),
  })
}

/** The record of a verification that is taken back is shown nowhere else: it is kept with what it tells. */
function tellUnverified(tx: Writer, event: RecordEvent): void {
  const { did, collection, cid, bytes, uri } = event
  const to = event.record.subject
  if (collection !== verificationCollection || typeof to !== 'string' || to === did) return
  const told = [{ to, reason: 'unverified' as const, reasonSubject: uri }]
  notifications.insert(tx, sourceOf(event), told, arrivalTime(tx, event.at), { cid, bytes })
}

/** `now`, or the millisecond after the last arrival: so no two of an account have the same time. */
function arrivalTime(tx: Writer, now: DatetimeString): DatetimeString {
  const last = notifications.lastArrival(tx)
  const at = now > last ? now : iso(new Date(Date.parse(last) + 1))
  notifications.setLastArrival(tx, at)
  return at
}

function sourceOf({ did, uri, rkey }: RecordEvent): notifications.Source {
  const [collection = ''] = uri.slice(`at://${did}/`.length).split('/')
  return { did, collection, rkey }
}

function isSame(a: notifications.NewNotification, b: notifications.Told): boolean {
  return a.to === b.to && a.reason === b.reason && (a.reasonSubject ?? null) === b.reasonSubject
}
