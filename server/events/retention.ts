/** Deletes events that are no longer replayed: by age, and by size as soon as a burst of writes exceeds the limit. */
import { setImmediate } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Background } from '../jobs/background.ts'
import type { Database } from '../store/database.ts'
import * as events from '../store/tables/events.ts'

interface Deps {
  readonly config: Pick<Config, 'eventRetention' | 'eventLimit'>
  readonly store: Database
  readonly now: () => Date
}

/** Events of one transaction, which takes a few milliseconds. */
const batch = 100

/** Deletes events that are too old or too many, the oldest first. Returns how many. */
export async function pruneEvents({ config, store, now }: Deps): Promise<number> {
  const since = now().getTime() - config.eventRetention
  // Some more than needed, so that a burst does not cause one transaction for each event.
  const isOver = events.state(store).bytes > config.eventLimit
  const bytes = isOver ? config.eventLimit * 0.95 : config.eventLimit
  for (let total = 0; ; await setImmediate()) {
    const removed = await store.transact((tx) => events.removeOutdated(tx, { since, bytes }, batch))
    total += removed
    if (removed < batch) return total
  }
}

/** Prunes whenever the limit is exceeded. @returns a function that stops it */
export function watchEventLimit(deps: Deps & { readonly background: Background }): () => void {
  const { config, store, background } = deps
  const isOver = () => events.state(store).bytes > config.eventLimit
  let version = 0
  let isPruning = false
  return store.watch(() => {
    if (isPruning || store.version('events') === version) return
    version = store.version('events')
    if (!isOver()) return
    isPruning = true
    background.run('deletion of old events', async () => {
      try {
        // Again if more has been written meanwhile.
        while (isOver() && (await pruneEvents(deps)) > 0) {}
      } finally {
        isPruning = false
      }
    })
  })
}
