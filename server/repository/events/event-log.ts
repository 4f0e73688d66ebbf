/** Reads stored events: the older ones from segment files, the newer ones from the table. */
import type { Database } from '../../platform/store/database.ts'
import * as removals from '../../platform/store/tables/event-removals.ts'
import * as segments from '../../platform/store/tables/event-segments.ts'
import * as events from '../../platform/store/tables/events.ts'
import type { Logger } from '../../platform/util/log.ts'
import type { SegmentFiles } from './segment-files.ts'

export interface EventLog {
  /**
   * Returns the first events after a number, of one segment or of the table. They may not be on disk yet.
   * @throws StoreUnavailable if a segment is lost and its row cannot be deleted
   */
  page(after: number): Promise<events.Page>
  /** Deletes a segment whose file is missing or damaged. Does nothing if the segment has another file by now. */
  discard(segment: segments.Segment): Promise<void>
}

interface Deps {
  readonly store: Pick<Database, 'get' | 'all' | 'transact'>
  readonly segmentFiles: SegmentFiles
  readonly log: Logger
}

export function createEventLog({ store, segmentFiles, log }: Deps): EventLog {
  async function discard(segment: segments.Segment): Promise<void> {
    const { name, firstSeq, lastSeq } = segment
    if (!(await store.transact((tx) => segments.removeAsOutdated(tx, segment)))) return
    log.warn({ file: name, firstSeq, lastSeq }, 'event file is missing or damaged; its events are lost')
    await segmentFiles.remove(name)
  }

  return {
    async page(after) {
      for (let from = after; ; ) {
        const segment = segments.next(store, from)
        if (!segment) return events.page(store, from)
        const found = await segmentFiles.read(segment.name)
        // Otherwise the file has been deleted or replaced meanwhile.
        if (segments.next(store, from)?.name !== segment.name) continue
        if (!found) {
          await discard(segment)
          continue
        }
        const removed = removals.all(store)
        const left = found.filter((event) => event.seq > from && !removals.isRemoved(removed, event))
        if (left.length > 0) return { events: left, isLast: false }
        from = segment.lastSeq
      }
    },
    discard,
  }
}
