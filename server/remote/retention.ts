/** Deletes records of other servers that are no longer wanted: old posts, old notes of deletions, and what describes forgotten actors. */
import { inSlices } from '../records/import/slices.ts'
import type { Database } from '../store/database.ts'
import * as deletions from '../store/tables/remote-deletions.ts'
import * as remoteRecords from '../store/tables/remote-records.ts'
import type { Room } from './room.ts'
import { evictOldest } from './room.ts'
import { feedMs } from './wanted.ts'

/** No source is this far behind. */
const keepDeletionsMs = 14 * 24 * 60 * 60_000
/** Rows that are examined at once: a millisecond's work. */
const batch = 20

interface Deps {
  readonly store: Database
  readonly room: Pick<Room, 'add' | 'count' | 'recount' | 'isFull'>
  readonly now: () => Date
}

export async function deleteOutdated({ store, room, now }: Deps): Promise<void> {
  const at = now().getTime()
  const before = at - feedMs
  await inSlices(store, (tx) => {
    evictOldest(tx, { before, at, limit: batch }, room.add)
    return remoteRecords.oldestFeedItems(tx, before, 1).length > 0
  })
  await inSlices(store, (tx) => deletions.removeBefore(tx, at - keepDeletionsMs, batch) > 0)
  await deleteForgotten(store)
  room.recount()
  await room.count()
  // The limit may have been lowered.
  await inSlices(
    store,
    (tx) => room.isFull() && evictOldest(tx, { before: at, at, limit: batch }, room.add) > 0,
  )
}

/** Deletes the records of actors that nothing here refers to any more, and that refer to no account here. */
async function deleteForgotten(store: Database): Promise<void> {
  let after = 0
  await inSlices(store, (tx) => {
    const upTo = after + batch
    const actor = remoteRecords.forgottenActor(tx, { after, upTo })
    if (actor === undefined) after = upTo
    else remoteRecords.removeSome(tx, actor, batch)
    return after < remoteRecords.lastActor(tx)
  })
}
