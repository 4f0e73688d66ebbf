/** The room that records of other servers take, and how it is made: old posts go first. */
import { setImmediate } from 'node:timers/promises'
import type { Database, Writer } from '../store/database.ts'
import * as remoteRecords from '../store/tables/remote-records.ts'

export interface Usage {
  readonly records: number
  /** Of the records with what the store keeps beside them. */
  readonly bytes: number
  readonly limit: number
}

export interface Room {
  /** Counts what is stored, unless that is known. Call it before the others. */
  count(): Promise<void>
  /** Counts again at the next call of `count`, after a transaction that was rolled back. */
  recount(): void
  usage(): Usage
  /** Whether the limit is exceeded. */
  isFull(): boolean
  /** Makes room for a record by evicting a few others. Returns whether there is enough. @param bytes by which its author's records grow */
  make(tx: Writer, did: string, bytes: number): boolean
  /** Counts a change. @param records 1, -1 or 0 @param bytes by which the records grow */
  add(records: number, bytes: number): void
}

interface Deps {
  readonly store: Database
  readonly config: { readonly remoteLimit: number }
  readonly now: () => Date
}

/** Bytes that a record takes beside its own: keys, indexes, links and a notification. */
const overhead = 400
/** The part of the limit that the records of one author may take. */
const shareOfAuthor = 0.05
/** Ids of actors whose records are counted at once. */
const rangeSize = 500
/** Records that are examined at once: a millisecond's work. */
const evictions = 20
/** When all of those are in use, the next ones are examined after this time. */
const pauseMs = 1_000

export function createRoom({ store, config, now }: Deps): Room {
  const limit = config.remoteLimit
  let records = 0
  let bytes = 0
  let epoch: number | undefined
  let examineAt = 0

  async function count(): Promise<void> {
    if (epoch === store.epoch) return
    const counted = { records: 0, bytes: 0 }
    for (let after = 0; after < remoteRecords.lastActor(store); after += rangeSize, await setImmediate()) {
      const size = remoteRecords.sizeOfRange(store, { after, upTo: after + rangeSize })
      counted.records += size.records
      counted.bytes += size.bytes + size.records * overhead
    }
    ;({ records, bytes } = counted)
    epoch = store.epoch
  }

  function add(count: number, size: number): void {
    records += count
    bytes += size + count * overhead
  }

  return {
    count,
    recount() {
      epoch = undefined
    },
    isFull: () => bytes > limit,
    usage: () => ({ records, bytes, limit }),
    add,
    make(tx, did, size) {
      const at = now().getTime()
      const own = remoteRecords.sizeOf(tx, did)
      if (own.bytes + own.records * overhead + size > limit * shareOfAuthor) return false
      const hasRoom = () => bytes + size + overhead <= limit
      if (hasRoom() || at < examineAt) return hasRoom()
      if (evictOldest(tx, { before: at, at, limit: evictions }, add) === 0) examineAt = at + pauseMs
      return hasRoom()
    },
  }
}

/**
 * Evicts those of the oldest records that nothing here refers to; the others are examined again after all others.
 * @param removed called for each with the difference of records and bytes @returns how many
 */
export function evictOldest(
  tx: Writer,
  { before, at, limit }: { readonly before: number; readonly at: number; readonly limit: number },
  removed: Room['add'],
): number {
  let evicted = 0
  for (const item of remoteRecords.oldestFeedItems(tx, before, limit)) {
    if (item.isUsed) {
      remoteRecords.touchFeedItem(tx, item.record, at)
      continue
    }
    remoteRecords.evict(tx, item.record)
    removed(-1, -item.bytes)
    evicted++
  }
  return evicted
}
