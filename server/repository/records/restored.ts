/** Announces data that come from a backup: other servers may know later states, which are lost. */
import type { DidString } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import { StoreUnavailable } from '../../store/files/store-errors.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { emitAccount, emitIdentity, emitSync } from '../events/emit.ts'
import * as events from '../tables/events.ts'
import type { Repositories } from './repositories.ts'

interface Deps extends Pick<Platform, 'store' | 'log' | 'now'> {
  readonly repositories: Pick<Repositories, 'recommit'>
}

/**
 * More events than were emitted since the backup, so that no consumer sees a number twice. The same backup may be restored again: then
 * the numbers go on from the time in milliseconds, because no server emits a thousand events per second for long.
 */
const skipped = 1_000_000

/**
 * Continues the event stream after a restore: skips numbers, then reports each account as an activation does. Each repository gets
 * a new commit, because consumers ignore a revision that is not later than the last one that they have seen.
 */
export async function announceRestore({ store, repositories, log, now }: Deps): Promise<void> {
  await store.transact((tx) => events.skip(tx, skipped, now().getTime()))
  const announce = (did: DidString) =>
    repositories.recommit(did, (tx) => {
      const at = now()
      emitAccount(tx, did, at)
      const account = accounts.findByDid(tx, did)
      if (!account || statusOf(account) !== undefined) return
      emitIdentity(tx, did, at)
      emitSync(tx, did, at)
    })
  for (const did of accounts.allDids(store)) {
    try {
      await announce(did)
    } catch (err) {
      if (err instanceof StoreUnavailable) throw err
      // For example, the root block of a repository is missing: the other accounts go on before its repair.
      log.error({ err, did }, 'repository cannot be announced after the restore: it is damaged')
    }
  }
}
