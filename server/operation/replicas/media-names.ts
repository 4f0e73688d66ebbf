/**
 * The names of the server's media at places. Each is derived once: the derivation of 20,000 takes a third of a second. Media are in
 * groups by their hash, so that an upload costs the work of one group at each place.
 */
import * as damaged from '../../repository/tables/damaged-blobs.ts'
import { blobGroups, cidsOfGroup, hasBlob, readBlobGroup } from '../../store/backups/backup-blobs.ts'
import type { Database } from '../../store/database.ts'
import { createSerializer } from '../../util/serialize.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import type { Sealer } from './sealer.ts'

/** CIDs by their hidden names. */
export type MediaGroup = ReadonlyMap<string, string>

export interface MediaNames {
  /**
   * Returns the server's media. An unchanged group is the same object as before; if all groups are, so is the array. Does not
   * block: one group is read at once.
   */
  read(): Promise<readonly MediaGroup[]>
  /** Whether the server still has a file. */
  has(cid: string): boolean
  /** Returns the hidden names of the media that are marked as missing. */
  marked(): ReadonlySet<string>
}

interface Group {
  /** The rows as text, as they were read. */
  readonly rows: string
  readonly names: MediaGroup
}

export function createMediaNames(store: Database, sealer: Pick<Sealer, 'hiddenName'>): MediaNames {
  const serialize = createSerializer()
  const groups: Group[] = Array.from({ length: blobGroups }, () => ({ rows: '', names: new Map() }))
  let read: readonly MediaGroup[] = []
  let version = -1

  async function readAll(): Promise<readonly MediaGroup[]> {
    const started = store.version('blobs', 'damaged_blobs')
    if (started === version) return read
    let hasChanged = read.length === 0
    for (const [number, before] of groups.entries()) {
      const rows = readBlobGroup(store, number)
      if (rows !== before.rows) {
        groups[number] = { rows, names: namesOf(rows, before.names) }
        hasChanged = true
      }
      await yieldToEventLoop()
    }
    if (hasChanged) read = groups.map(({ names }) => names)
    version = started
    return read
  }

  function namesOf(rows: string, before: MediaGroup): MediaGroup {
    const known = new Map([...before].map(([name, cid]) => [cid, name]))
    return new Map(cidsOfGroup(rows).map((cid) => [known.get(cid) ?? sealer.hiddenName(cid), cid]))
  }

  return {
    read: () => serialize(readAll),
    has: (cid) => hasBlob(store, cid),
    marked: () => new Set(damaged.all(store).map((cid) => sealer.hiddenName(cid))),
  }
}
