/** The names of the server's media at places. Each is derived once: the derivation of 20,000 takes a third of a second. */
import { setImmediate } from 'node:timers/promises'
import { blobCidsAfter, hasBlob } from '../../platform/store/backups/backup-blobs.ts'
import type { Database } from '../../platform/store/database.ts'
import * as damaged from '../../platform/store/tables/damaged-blobs.ts'
import { createSerializer } from '../../platform/util/serialize.ts'
import type { Sealer } from './sealer.ts'

export interface MediaNames {
  /** Returns the CIDs of the server's media by their hidden names. Does not block: rows are read in slices. */
  read(): Promise<ReadonlyMap<string, string>>
  /** Whether the server still has a file. */
  has(cid: string): boolean
  /** Returns the hidden names of the media that are marked as missing. */
  marked(): ReadonlySet<string>
}

/** Rows that are read at once. */
const sliceRows = 500

export function createMediaNames(store: Database, sealer: Pick<Sealer, 'hiddenName'>): MediaNames {
  const serialize = createSerializer()
  let names = new Map<string, string>()
  /** Hidden names by CID, of all that were ever read. */
  const derived = new Map<string, string>()
  let version = -1

  async function read(): Promise<ReadonlyMap<string, string>> {
    const started = store.version('blobs', 'damaged_blobs')
    if (started === version) return names
    const found = new Map<string, string>()
    for (let after: string | undefined; ; ) {
      const cids = blobCidsAfter(store, after, sliceRows)
      for (const cid of cids) {
        const name = derived.get(cid) ?? sealer.hiddenName(cid)
        derived.set(cid, name)
        found.set(name, cid)
      }
      if (cids.length < sliceRows) break
      after = cids.at(-1)
      await setImmediate()
    }
    names = found
    version = started
    return names
  }

  return {
    read: () => serialize(read),
    has: (cid) => hasBlob(store, cid),
    marked: () => new Set(damaged.all(store).map((cid) => sealer.hiddenName(cid))),
  }
}
