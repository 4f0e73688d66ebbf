/** Counts the bytes that records of other servers take. */
import type { Database, Reader } from '../../../store/database.ts'
import { yieldToEventLoop } from '../../../util/timers.ts'
import * as remoteRecords from '../../tables/remote-records.ts'
import { stored } from './numbers.ts'

export interface Usage {
  readonly records: number
  /** Bytes of the records and their rows in other tables. */
  readonly bytes: number
  readonly limit: number
}

export interface Quota {
  /** Counts the stored records, unless the count is known. Call it before the others. */
  count(): Promise<void>
  /** Counts again at the next call of `count`, after a transaction that was rolled back. */
  recount(): void
  usage(): Usage
  /** Whether a record is within the limit. @param bytes by which the records grow */
  fits(bytes: number): boolean
  /** Whether a record is within the share of its author. @param bytes by which the author's records grow */
  fitsAuthor(db: Reader, did: string, bytes: number): boolean
  /** Counts a change. @param records by how many there are more @param bytes by which they grow */
  add(records: number, bytes: number): void
}

interface Deps {
  readonly store: Database
  readonly config: { readonly remoteLimit: number }
}

/** Ids of actors whose records are counted at once. */
const rangeSize = 500

export function createQuota({ store, config }: Deps): Quota {
  const limit = config.remoteLimit
  let records = 0
  let bytes = 0
  let epoch: number | undefined

  async function count(): Promise<void> {
    if (epoch === store.epoch) return
    const counted = { records: 0, bytes: 0 }
    for (
      let after = 0;
      after < remoteRecords.lastActor(store);
      after += rangeSize, await yieldToEventLoop()
    ) {
      const size = remoteRecords.sizeOfRange(store, { after, upTo: after + rangeSize })
      counted.records += size.records
      counted.bytes += size.bytes + size.records * stored.overhead
    }
    ;({ records, bytes } = counted)
    epoch = store.epoch
  }

  return {
    count,
    recount() {
      epoch = undefined
    },
    usage: () => ({ records, bytes, limit }),
    fits: (size) => bytes + size + stored.overhead <= limit,
    fitsAuthor(db, did, size) {
      const own = remoteRecords.sizeOf(db, did)
      return own.bytes + own.records * stored.overhead + size <= limit * stored.shareOfAuthor
    },
    add(count, size) {
      records += count
      bytes += size + count * stored.overhead
    },
  }
}
