/** Announces data that come from a backup: other servers may know later states, which are lost. */
import { statusOf } from '../accounts/status.ts'
import type { Repositories } from '../records/repositories.ts'
import type { Database } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import * as eventRemovals from '../store/tables/event-removals.ts'
import * as segments from '../store/tables/event-segments.ts'
import * as events from '../store/tables/events.ts'
import { emitAccount, emitIdentity, emitSync } from './emit.ts'

interface Deps {
  readonly store: Database
  readonly repositories: Pick<Repositories, 'recommit'>
  readonly now: () => Date
}

/** More events than were emitted since the backup, so that no consumer sees a number twice. */
const skipped = 1_000_000

/**
 * Continues the event stream after a restore: skips numbers, then reports each account as an activation does. Each repository gets
 * a new commit, because consumers ignore a revision that is not later than the last one that they have seen. Backups do not contain
 * the archived events.
 */
export async function announceRestore({ store, repositories, now }: Deps): Promise<void> {
  await store.transact((tx) => {
    events.skip(tx, skipped)
    segments.removeAll(tx)
    eventRemovals.remove(tx, eventRemovals.all(tx))
  })
  for (const did of accounts.allDids(store))
    await repositories.recommit(did, (tx) => {
      const at = now()
      emitAccount(tx, did, at)
      const account = accounts.findByDid(tx, did)
      if (!account || statusOf(account) !== undefined) return
      emitIdentity(tx, did, at)
      emitSync(tx, did, at)
    })
}
