/** Corrects times that were written while the clock was ahead, once it is right. */

import type { Database } from '../../store/database.ts'
import { inSlices } from '../../store/slices.ts'
import * as times from '../../store/tables/future-times.ts'

/** Corrects the times in tables of a wing, in short transactions. Repeating it does no harm. @param now in milliseconds since 1970 */
export type CorrectTimes = (store: Database, now: () => number) => Promise<void>

/** Rows that are examined at once: some milliseconds of work. */
const rangeSize = 2000

/** Corrects them in short transactions. Repeating it does no harm. @param ofWings in the order in which they are called */
export async function correctFutureTimes(
  store: Database,
  now: () => Date,
  ofWings: readonly CorrectTimes[],
): Promise<void> {
  const at = () => now().getTime()
  for (const correct of times.corrections) await store.transact((tx) => correct(tx, at()))
  for (const correct of ofWings) await correct(store, at)
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
