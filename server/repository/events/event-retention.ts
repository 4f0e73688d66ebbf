/** Deletes events that are no longer replayed: by age, by size as soon as a burst of writes exceeds the limit, and of deleted accounts. */
import type { Config } from '../../platform/config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import { inSlices } from '../../store/slices.ts'
import type { Background } from '../../util/background.ts'
import * as removals from '../tables/event-removals.ts'
import * as events from '../tables/events.ts'

interface Deps extends Pick<Platform, 'store' | 'now' | 'signal'> {
  readonly config: Pick<Config, 'eventRetention' | 'eventLimit'>
  /** While it is implausible, no event is too old. */
  readonly clock: { isPlausible(): boolean }
}

/** Rows that are deleted, and rows that are looked through, in a millisecond or two. */
const [fewRows, manyRows] = [20, 100]

/**
 * Deletes events of deleted accounts, then those that are too old or too many, the oldest first. Ends when the server closes.
 * @returns whether there were any; false when the server closes, so that callers do not try again
 */
export async function pruneEvents({ config, store, now, clock, signal }: Deps): Promise<boolean> {
  const due = removals.all(store)
  let after: number | undefined = 0
  await inSlices(store, (tx) => {
    if (due.size === 0 || after === undefined || signal.aborted) return false
    after = events.removeOfDeleted(tx, after, manyRows)
    if (after === undefined) removals.remove(tx, due)
    return true
  })
  const since = clock.isPlausible() ? now().getTime() - config.eventRetention : Number.NEGATIVE_INFINITY
  // Some more than needed, so that a burst does not cause one transaction for each event.
  const isOver = events.state(store).bytes > config.eventLimit
  const bytes = isOver ? config.eventLimit * 0.95 : config.eventLimit
  let removed = 0
  await inSlices(store, (tx) => {
    const count = signal.aborted ? 0 : events.removeOutdated(tx, { since, bytes }, fewRows)
    removed += count
    return count > 0
  })
  return !signal.aborted && (due.size > 0 || removed > 0)
}

/** Prunes whenever the limit is exceeded or an account is deleted. @returns a function that stops it */
export function watchEvents(deps: Deps & { readonly background: Background }): () => void {
  const { config, store, background } = deps
  const tables = ['events', 'event_removals']
  const currentVersion = () => store.version(...tables)
  const isDue = () => events.state(store).bytes > config.eventLimit || removals.all(store).size > 0
  let version = 0
  let isPruning = false
  return store.watch(tables, () => {
    if (isPruning || currentVersion() === version) return
    version = currentVersion()
    if (!isDue()) return
    isPruning = true
    background.run('deletion of old events', async () => {
      try {
        // Again if more is due meanwhile.
        while (isDue() && (await pruneEvents(deps))) {}
      } finally {
        // After a failure, its own roll-back is no reason to try again.
        version = currentVersion()
        isPruning = false
      }
    })
  })
}
