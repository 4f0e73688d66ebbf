/** When notifications arrive. */

import type { AfterCommit } from '../records/events.ts'
import type { Writer } from '../store/database.ts'
import * as notifications from '../store/tables/notifications.ts'
import { type DatetimeString, iso } from '../util/time.ts'
import type { NotificationEvents } from './events.ts'

/** `now`, or the millisecond after the last arrival: so no two notifications of an account have the same time. */
export function arrivalTime(tx: Writer, now: DatetimeString): DatetimeString {
  const last = notifications.lastArrival(tx)
  const at = now > last ? now : iso(new Date(Date.parse(last) + 1))
  notifications.setLastArrival(tx, at)
  return at
}

/** @returns what publishes, once it is on disk, what arrived while `work` ran; undefined when nothing did */
export function announcing(
  tx: Writer,
  events: NotificationEvents,
  work: () => void,
): AfterCommit | undefined {
  const after = notifications.lastId(tx)
  work()
  const upTo = notifications.lastId(tx)
  return upTo > after ? () => events.publish({ after, upTo }) : undefined
}
