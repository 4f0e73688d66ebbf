/**
 * The newest events, read once for all consumers that keep up. They are read after each change of the store, and published once
 * they are on disk.
 */
import type { Database } from '../../store/database.ts'
import { StoreUnavailable } from '../../store/files/store-errors.ts'
import { createRounds } from '../../util/rounds.ts'
import * as events from '../tables/events.ts'

export interface RecentEvents {
  /**
   * Adds a consumer; with the first one, events after `lastSeq` are read.
   * @param lastSeq number of the last event on disk
   * @returns a function that removes the consumer
   */
  join(lastSeq: number, signal: AbortSignal): () => void
  /** Events up to this number are only in the store. */
  readonly start: number
  /** Returns the events after a number, which is not before `start`. */
  after(seq: number): readonly events.StoredEvent[]
  /** Resolves when there are more events, or when the signal of a consumer aborts. */
  change(): Promise<void>
}

interface Deps {
  readonly store: Pick<Database, 'get' | 'all' | 'epoch' | 'settled' | 'watch'>
  /** Reports unexpected errors, because reading has no caller. */
  readonly onFault: (error: unknown) => void
}

const keptBytes = 4_000_000

export function createRecentEvents({ store, onFault }: Deps): RecentEvents {
  let consumers = 0
  /** Events between these numbers are in `kept`. */
  let [start, end] = [0, 0]
  const kept: events.StoredEvent[] = []
  let bytes = 0
  let changed = Promise.withResolvers<void>()
  const requestRead = createRounds(readPage, (error) => {
    // A failed write has undone the state that was read. That is another change of the store.
    if (!(error instanceof StoreUnavailable)) onFault(error)
  })

  async function readPage(): Promise<void> {
    if (consumers === 0) return
    const { epoch } = store
    const from = end
    const page = events.page(store, from)
    if (page.last === from) return
    await store.settled(epoch)
    // Otherwise all consumers have left meanwhile, and another one begins elsewhere.
    if (end === from) publish(page)
    if (!page.isLast || end !== page.last) requestRead()
  }

  function publish({ events, last }: events.Page): void {
    // A deletion takes the events of its account back: consumers that have fallen behind read the others from the store.
    if (events.some(({ kind }) => kind === 'account')) drop(kept.length)
    kept.push(...events)
    end = last
    for (const { frame } of events) bytes += frame.length
    drop(excess())
    wake()
  }

  /** Returns how many of the oldest events are too much. */
  function excess(): number {
    let [count, left] = [0, bytes]
    while (left > keptBytes) left -= kept[count++]?.frame.length ?? left
    return count
  }

  function drop(count: number): void {
    for (const { seq, frame } of kept.splice(0, count)) {
      bytes -= frame.length
      start = seq
    }
  }

  function wake(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  store.watch(['events', 'event_removals'], requestRead)

  return {
    get start() {
      return start
    },
    join(lastSeq, signal) {
      if (consumers++ === 0) [start, end] = [lastSeq, lastSeq]
      signal.addEventListener('abort', wake, { once: true })
      requestRead()
      return () => {
        if (--consumers === 0) drop(kept.length)
      }
    },
    after: (seq) => kept.slice(kept.findLastIndex((event) => event.seq <= seq) + 1),
    change: () => changed.promise,
  }
}
