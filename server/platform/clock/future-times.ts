/** Corrects times that were written while the clock was ahead, once it is right. */

import * as notifications from '../../app/tables/notifications.ts'
import type { Database } from '../../store/database.ts'
import { inSlices } from '../../store/slices.ts'
import * as times from '../../store/tables/future-times.ts'

/** Rows that are examined at once: some milliseconds of work. */
const rangeSize = 2000
const batch = 200

/** Corrects them in short transactions. Repeating it does no harm. */
export async function correctFutureTimes(store: Database, now: () => Date): Promise<void> {
  const at = () => now().getTime()
  for (const correct of times.corrections) await store.transact((tx) => correct(tx, at()))
  let after = notifications.lastUpTo(store, at())
  await inSlices(store, (tx) => {
    after = notifications.correctTimes(tx, { after, now: at(), limit: batch })
    return after > 0
  })
  await store.transact((tx) => notifications.correctMarkers(tx, at()))
  await correctRecords(store, at)
}

/** The newest rows were written while the clock was wrong: the first range without a future time ends the search. */
async function correctRecords(store: Database, at: () => number): Promise<void> {
  let upTo = await store.transact((tx) => times.lastRecord(tx))
  await inSlices(store, (tx) => {
    const after = Math.max(0, upTo - rangeSize)
    const corrected = times.correctRecords(tx, { after, upTo }, at())
    upTo = after
    return corrected > 0 && upTo > 0
  })
}
