/** Reads the events of the servers of the network from their stores, each once and only when it is on disk. */
import type { Platform } from '../../platform/platform.ts'
import * as events from '../../repository/tables/events.ts'
import { StoreUnavailable } from '../../store/files/store-errors.ts'
import { createSerializer } from '../../util/serialize.ts'
import { type Change, changesIn } from './network-event.ts'

/** The parts of a server that are used. */
export type Source = Pick<Platform, 'store' | 'origin' | 'log'>

/** Number of the last event that was read, by origin of the server. */
export type Positions = ReadonlyMap<string, number>

export interface Sources {
  /** Reads a server from its position, or from its first event. @returns a function that ends it */
  attach(source: Source): () => void
  /** Reads all events that are on disk now. */
  collect(): Promise<void>
  readonly positions: Positions
  /** Replaces all positions, and removes all servers: their stores may have later events. */
  restore(positions: Positions): void
}

/** @param add called with changes in the order in which they were made */
export function createSources(add: (change: Change) => void): Sources {
  /** The servers, with functions that end the watch of their stores. */
  const attached = new Map<Source, () => void>()
  let positions = new Map<string, number>()
  // One at a time, so that the order of events of several servers does not depend on their disks.
  const serialize = createSerializer()

  const collect = () =>
    serialize(async () => {
      for (const source of attached.keys()) await readAll(source)
    })

  async function readAll(source: Source): Promise<void> {
    try {
      while (await readPage(source)) {}
    } catch (error) {
      // A failed write has undone what was read. That is another change of the store.
      if (!(error instanceof StoreUnavailable)) source.log.warn({ err: error }, 'reading events failed')
    }
  }

  /** @returns whether there may be more */
  async function readPage(source: Source): Promise<boolean> {
    const { store, origin } = source
    const readFor = positions
    const from = positions.get(origin) ?? 0
    const { epoch } = store
    const page = events.page(store, from)
    if (page.last === from) return false
    await store.settled(epoch)
    const changes = (await Promise.all(page.events.map(({ frame }) => changesIn(frame)))).flat()
    if (positions !== readFor || !attached.has(source)) return false
    positions.set(origin, page.last)
    for (const change of changes) add(change)
    return !page.isLast
  }

  function detach(source: Source): void {
    attached.get(source)?.()
    attached.delete(source)
  }

  return {
    get positions() {
      return positions
    },
    collect,
    attach(source) {
      const { store, origin } = source
      // A copy of the store that was made before the events at the position.
      const last = events.state(store).lastSeq
      if (last < (positions.get(origin) ?? 0)) positions.set(origin, last)
      attached.set(
        source,
        store.watch(['events'], () => void collect()),
      )
      void collect()
      return () => detach(source)
    },
    restore(state) {
      for (const source of attached.keys()) detach(source)
      positions = new Map(state)
    },
  }
}
