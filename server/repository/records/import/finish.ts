/** Ends an import: completes one that is committed, undoes another. Both can be repeated after a crash at any point. */

import type { Database, Writer } from '../../../store/database.ts'
import { inSlices } from '../../../store/slices.ts'
import * as blobs from '../../tables/blobs.ts'
import * as imports from '../../tables/imports.ts'
import * as omitted from '../../tables/omitted-records.ts'

type Store = Pick<Database, 'transact' | 'keepPace'>

/** What a wing does when an archive has replaced the records of an account. Each part can be repeated after a crash. */
export interface ImportListener {
  /** Updates some of its rows, from `after` on. @returns where the next call begins; undefined when none are left */
  readonly updateSome?: (tx: Writer, did: string, after: number) => number | undefined
  /** Called in the transaction that ends the import. */
  readonly imported?: (tx: Writer, did: string) => void
}

export interface FinishDeps {
  readonly store: Store
  /** In the order in which they are called. */
  readonly onImported: readonly ImportListener[]
}

const fewRows = 50
const manyRows = 500

/** Completes a committed import. */
export async function finish(deps: FinishDeps, begun: imports.Import): Promise<void> {
  const { store } = deps
  if (begun.phase === imports.phases.committed) await clearOmitted(store, begun)
  if (begun.phase !== imports.phases.applied) await replaceOld(deps, begun)
  await inSlices(store, (tx) => imports.forgetBlocks(tx, begun.id, manyRows) > 0)
  await store.transact((tx) => imports.remove(tx, begun))
}

/** Removes the old records that the index lacks. */
async function clearOmitted(store: Store, { id, account }: imports.Import): Promise<void> {
  await inSlices(store, (tx) => omitted.removeSome(tx, account, fewRows) > 0)
  await store.transact((tx) => imports.setPhase(tx, id, imports.phases.cleared))
}

/** Puts the new records and nodes in the place of the old ones. */
async function replaceOld({ store, onImported }: FinishDeps, begun: imports.Import): Promise<void> {
  const { id, did } = begun
  await inSlices(store, (tx) => imports.removeSome(tx, id, fewRows) > 0)
  await inSlices(store, (tx) => imports.moveSome(tx, begun, manyRows) > 0)
  await inSlices(store, (tx) => omitted.moveSome(tx, begun.staging, begun.account, fewRows) > 0)
  let after: Uint8Array | undefined = new Uint8Array()
  await inSlices(store, (tx) => {
    after = after && imports.removeOldBlocks(tx, begun, after, manyRows)
    return after !== undefined
  })
  for (const { updateSome } of onImported) {
    let next: number | undefined = 0
    await inSlices(store, (tx) => {
      next = next === undefined ? undefined : updateSome?.(tx, did, next)
      return next !== undefined
    })
  }
  await store.transact((tx) => {
    blobs.referAll(tx, did)
    for (const { imported } of onImported) imported?.(tx, did)
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
