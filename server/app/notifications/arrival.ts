/** Arrival of notifications: their times, which grow with their ids, and the event after the commit. */

import type { AfterCommit } from '../../repository/records/record-events.ts'
import type { Writer } from '../../store/database.ts'
import * as clock from '../../store/tables/clock.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import * as notifications from '../tables/notifications.ts'
import type { NotificationEvents } from './arrivals.ts'

/** Times that lie further ahead were given by a clock that was wrong. */
const futureMs = 60_000
/** Notifications that are corrected at once: some milliseconds of work. The others follow in the background. */
const maxCorrected = 500

/**
 * Returns `now`, or one millisecond after the last arrival: no two notifications of an account have the same `indexedAt`, and
 * their order by time is that of their ids. If the clock was ahead, its times are corrected first.
 */
export function arrivalTime(tx: Writer, now: DatetimeString): DatetimeString {
  correctArrivals(tx, Date.parse(now))
  const last = notifications.lastArrival(tx)
  const at = Math.max(Date.parse(now), last + 1)
  notifications.setLastArrival(tx, at)
  return iso(new Date(at))
}

/** Corrects the times of the last notifications if they lie in the future, and seen markers that do. */
export function correctArrivals(tx: Writer, now: number): void {
  if (notifications.lastArrival(tx) - now <= futureMs) return
  // Otherwise the clock is behind, and all times would be replaced by a wrong one.
  const { trustedAt } = clock.find(tx)
  if (trustedAt === null || trustedAt - now > futureMs) return
  const after = notifications.lastUpTo(tx, now)
  if (notifications.lastId(tx) - after > maxCorrected) return
  notifications.correctTimes(tx, { after, now, limit: maxCorrected + 1 })
  notifications.correctMarkers(tx, now)
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
