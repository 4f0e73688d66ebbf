/** Deletes descriptions of actors of other servers that nothing here refers to any more. */

import type { Database } from '../../store/database.ts'
import { inSlices } from '../../store/slices.ts'
import * as remoteRecords from '../tables/remote-records.ts'

/** Rows that are examined at once: a millisecond's work. */
const batch = 20

/** Deletes the records of actors that have lost all relations to accounts here, in both directions. */
export async function deleteForgotten(store: Database): Promise<void> {
  let after = 0
  await inSlices(store, (tx) => {
    const upTo = after + batch
    const actor = remoteRecords.forgottenActor(tx, { after, upTo })
    if (actor === undefined) after = upTo
    else remoteRecords.removeSome(tx, actor, batch)
    return after < remoteRecords.lastActor(tx)
  })
}
