/** Corrects the times of notifications, and until when they were seen, which were written while the clock was ahead. */
import type { CorrectTimes } from '../../platform/clock/future-times.ts'
import { inSlices } from '../../store/slices.ts'
import * as notifications from '../tables/notifications.ts'

/** Notifications that are corrected at once. */
const batch = 200

export const correctNotificationTimes: CorrectTimes = async (store, now) => {
  let after = notifications.lastUpTo(store, now())
  await inSlices(store, (tx) => {
    after = notifications.correctTimes(tx, { after, now: now(), limit: batch })
    return after > 0
  })
  await store.transact((tx) => notifications.correctMarkers(tx, now()))
}
