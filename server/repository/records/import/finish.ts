/** Ends an import: completes one that is committed, undoes another. Both can be repeated after a crash at any point. */

import { updateFollowedAmong } from '../../../app/tables/follows.ts'
import { refreshAmong, refreshLists } from '../../../app/tables/hidden.ts'
import * as notifications from '../../../app/tables/notifications.ts'
import type { Database } from '../../../store/database.ts'
import { inSlices } from '../../../store/slices.ts'
import * as blobs from '../../tables/blobs.ts'
import * as imports from '../../tables/imports.ts'
import * as omitted from '../../tables/omitted-records.ts'

type Store = Pick<Database, 'transact' | 'keepPace'>

const fewRows = 50
const manyRows = 500

/** Completes a committed import. */
export async function finish(store: Store, begun: imports.Import): Promise<void> {
  if (begun.phase === imports.phases.committed) await clearOmitted(store, begun)
  if (begun.phase !== imports.phases.applied) await replaceOld(store, begun)
  await inSlices(store, (tx) => imports.forgetBlocks(tx, begun.id, manyRows) > 0)
  await store.transact((tx) => imports.remove(tx, begun))
}

/** Removes the old records that the index lacks. */
async function clearOmitted(store: Store, { id, account }: imports.Import): Promise<void> {
  await inSlices(store, (tx) => omitted.removeSome(tx, account, fewRows) > 0)
  await store.transact((tx) => imports.setPhase(tx, id, imports.phases.cleared))
}

/** Puts the new records and nodes in the place of the old ones. */
async function replaceOld(store: Store, begun: imports.Import): Promise<void> {
  const { id, did } = begun
  await inSlices(store, (tx) => imports.removeSome(tx, id, fewRows) > 0)
  await inSlices(store, (tx) => imports.moveSome(tx, begun, manyRows) > 0)
  await inSlices(store, (tx) => omitted.moveSome(tx, begun.staging, begun.account, fewRows) > 0)
  let after: Uint8Array | undefined = new Uint8Array()
  await inSlices(store, (tx) => {
    after = after && imports.removeOldBlocks(tx, begun, after, manyRows)
    return after !== undefined
  })
  let last = 0
  await inSlices(store, (tx) => {
    const range = { after: last, upTo: last + manyRows }
    updateFollowedAmong(tx, did, range)
    refreshAmong(tx, did, range)
    last = range.upTo
    return last < notifications.lastId(tx)
  })
  await store.transact((tx) => {
    blobs.referAll(tx, did)
    refreshLists(tx, did)
    imports.setPhase(tx, id, imports.phases.applied)
  })
}

/** Undoes an import that is not committed, or whose account has been deleted. */
export async function discard(store: Store, begun: imports.Import): Promise<void> {
  // With its last record the actor of the import goes.
  await inSlices(store, (tx) => omitted.removeSome(tx, begun.staging, fewRows) > 0)
  await inSlices(store, (tx) => imports.discardRecords(tx, begun.staging, fewRows) > 0)
  await inSlices(store, (tx) => imports.discardBlocks(tx, begun, manyRows) > 0)
  await store.transact((tx) => imports.remove(tx, begun))
}
