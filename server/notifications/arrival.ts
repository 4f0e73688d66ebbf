/** Arrival of notifications: unique times, and the event after the commit. */

import type { AfterCommit } from '../records/events.ts'
import type { Writer } from '../store/database.ts'
import * as notifications from '../store/tables/notifications.ts'
import { type DatetimeString, iso } from '../util/time.ts'
import type { NotificationEvents } from './events.ts'

/** Returns `now`, or one millisecond after the last arrival: `indexedAt` is unique, as it is the cursor of the list. */
export function arrivalTime(tx: Writer, now: DatetimeString): DatetimeString {
  const last = notifications.lastArrival(tx)
  const at = Math.max(Date.parse(now), last + 1)
  notifications.setLastArrival(tx, at)
  return iso(new Date(at))
}

/**
 * Runs `work` and detects the notifications that it inserts.
 * @returns a callback that publishes them, for use after the commit; undefined when there are none
 */
export function trackArrivals(
  tx: Writer,
  events: NotificationEvents,
  work: () => void,
): AfterCommit | undefined {
  const after = notifications.lastId(tx)
  work()
  const upTo = notifications.lastId(tx)
  return upTo > after ? () => events.publish({ after, upTo }) : undefined
}
