/** Runs long work as many short transactions, so that other requests are answered in between. */
import { realElapsed } from '../util/deadlines.ts'
import { yieldToEventLoop } from '../util/timers.ts'
import type { Database, Writer } from './database.ts'

const sliceMs = 5

/**
 * Calls `step` until it returns false: in each transaction several times, until a few milliseconds have passed. Resolves when all
 * of it is on disk. Waits for a running backup once many pages have changed, so that they do not fill the memory.
 * @param check called first in each transaction; its error ends the work
 */
export async function inSlices(
  store: Pick<Database, 'transact' | 'keepPace'>,
  step: (tx: Writer) => boolean,
  check: (tx: Writer) => void = () => {},
): Promise<void> {
  const slice = (tx: Writer): boolean => {
    check(tx)
    const end = realElapsed() + sliceMs
    while (realElapsed() < end) if (!step(tx)) return false
    return true
  }
  do {
    // A write to a fast disk may block, and then no request would be answered between two slices.
    await yieldToEventLoop()
    await store.keepPace()
  } while (await store.transact(slice))
}
