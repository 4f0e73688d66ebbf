/** Deletes events that are no longer replayed: by age, and by size as soon as a burst of writes exceeds the limit. */
import { setImmediate } from 'node:timers/promises'
import type { Config } from '../../platform/config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import * as segments from '../../platform/store/tables/event-segments.ts'
import * as events from '../../platform/store/tables/events.ts'
import type { Background } from '../../platform/util/background.ts'
import type { SegmentFiles } from './segment-files.ts'

interface Deps extends Pick<Platform, 'store' | 'now'> {
  readonly config: Pick<Config, 'eventRetention' | 'eventLimit'>
  readonly segmentFiles: Pick<SegmentFiles, 'remove'>
  /** While it is implausible, no event is too old. */
  readonly clock: { isPlausible(): boolean }
}

/** Events of one transaction, which takes a few milliseconds. */
const batch = 100

/** Deletes events that are too old or too many, the oldest first: whole segments, then rows. Returns whether there were any. */
export async function pruneEvents(deps: Deps): Promise<boolean> {
  const { config, store, now, clock } = deps
  const since = clock.isPlausible() ? now().getTime() - config.eventRetention : Number.NEGATIVE_INFINITY
  // Some more than needed, so that a burst does not cause one transaction for each event.
  const isOver = events.state(store).bytes > config.eventLimit
  const bytes = isOver ? config.eventLimit * 0.95 : config.eventLimit
  const hasSegments = await pruneSegments(deps, { since, bytes })
  for (let total = 0; ; await setImmediate()) {
    const removed = await store.transact((tx) =>
      // Older events may have been archived meanwhile.
      segments.next(tx, 0) ? 0 : events.removeOutdated(tx, { since, bytes }, batch),
    )
    total += removed
    if (removed < batch) return hasSegments || total > 0
  }
}

async function pruneSegments({ store, segmentFiles }: Deps, keep: events.Retention): Promise<boolean> {
  for (let total = 0; ; total++) {
    const removed = await store.transact((tx) => segments.removeOutdated(tx, keep))
    if (!removed) return total > 0
    await segmentFiles.remove(removed.name)
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
        while (isOver() && (await pruneEvents(deps))) {}
      } finally {
        isPruning = false
      }
    })
  })
}
