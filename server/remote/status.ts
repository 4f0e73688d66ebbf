/** The status of actors of other servers. Records of inactive ones are kept, but neither shown nor notified of. */
import { inSlices } from '../records/import/slices.ts'
import type { Database, Writer } from '../store/database.ts'
import { hostedAmong } from '../store/tables/accounts.ts'
import * as actors from '../store/tables/actors.ts'
import * as remoteRecords from '../store/tables/remote-records.ts'
import * as statuses from '../store/tables/remote-statuses.ts'
import type { RemoteChange } from './change.ts'

export type { RemoteStatus } from '../store/tables/remote-statuses.ts'

/** Records that are deleted by one statement. */
const batch = 20

/**
 * Sets the status of an actor, unless it has an account here.
 * @param status undefined: active; deleted: its records are deleted
 * @param last called in the last transaction
 */
export async function setStatus(
  store: Database,
  did: string,
  status: statuses.RemoteStatus | undefined,
  last: (tx: Writer) => void = () => {},
): Promise<void> {
  if (status === 'deleted') {
    await inSlices(store, (tx) => removeSome(tx, did))
  }
  await store.transact((tx) => {
    statuses.set(tx, did, status)
    last(tx)
  })
}

/** Deletes some of the records of an actor, unless it has an account here by now. Returns whether there may be more. */
function removeSome(tx: Writer, did: string): boolean {
  const actor = hostedAmong(tx, [did]).size > 0 ? undefined : actors.idOf(tx, did)
  return actor !== undefined && remoteRecords.removeSome(tx, actor, batch).records > 0
}

/**
 * Whether a change of an actor counts. An actor whose account here was deleted becomes active by a commit that is later than the last
 * one here: then it lives elsewhere.
 */
export function isAlive(tx: Writer, { did, rev }: Pick<RemoteChange, 'did' | 'rev'>): boolean {
  const actor = statuses.find(tx, did)
  if (!actor || actor.inactive === 0) return true
  if (actor.status !== null) return actor.status !== 'deleted'
  if (actor.rev !== null && rev <= actor.rev) return false
  statuses.set(tx, did, undefined)
  return true
}
