/** Deletes outdated rows about other servers: old posts, old notes of deletions, and descriptions of forgotten actors. */

import type { Platform } from '../../platform/platform.ts'
import { inSlices } from '../../store/slices.ts'
import * as deletions from '../tables/remote-deletions.ts'
import { deleteForgotten, type Eviction, evictOldest } from './eviction.ts'
import { feedMs } from './filter/records.ts'
import type { Quota } from './limits/quota.ts'

/** No source is this far behind. */
const keepDeletionsMs = 14 * 24 * 60 * 60_000
/** Rows that are examined at once: a millisecond's work. */
const batch = 20

interface Deps extends Pick<Platform, 'store' | 'now'> {
  readonly quota: Pick<Quota, 'add' | 'count' | 'recount'>
  readonly eviction: Pick<Eviction, 'makeRoom'>
  readonly clock: { isPlausible(): boolean }
}

export async function deleteOutdated({ store, quota, eviction, now, clock }: Deps): Promise<void> {
  if (clock.isPlausible()) {
    const at = now().getTime()
    const before = at - feedMs
    await inSlices(store, (tx) => evictOldest(tx, { before, at, limit: batch }, quota.add) === batch)
    await inSlices(store, (tx) => deletions.removeBefore(tx, at - keepDeletionsMs, batch) > 0)
  }
  await deleteForgotten(store)
  quota.recount()
  await quota.count()
  // The limit may have been lowered.
  await eviction.makeRoom(0)
}
