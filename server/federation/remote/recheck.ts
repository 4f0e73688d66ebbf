/** Compares notified records with the hosts of their authors: a backlink service reports no deletions. */
import type { Platform } from '../../platform/platform.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { cidText } from '../../util/cid.ts'
import * as wanted from '../tables/wanted-records.ts'
import type { CatchUp } from './catch-up.ts'
import type { FetchRecord } from './fetch-record.ts'
import type { Intake } from './intake.ts'
import type { Identify } from './repository-origin.ts'

export interface Recheck {
  /** Compares the records that were not compared for the longest time. Call it once an hour. */
  checkDue(): Promise<void>
}

interface Deps extends Pick<Platform, 'store' | 'log' | 'now' | 'signal'> {
  readonly actors: { readonly identify: Identify }
  readonly fetchRecord: FetchRecord
  readonly intake: Pick<Intake, 'apply'>
  readonly catchUp: Pick<CatchUp, 'onIncomplete'>
  /** Whether a source that reports no deletions, such as a backlink service, is configured. Otherwise `checkDue` returns at once. */
  readonly isOn: () => boolean
}

const dayMs = 24 * 60 * 60_000
/** Records whose notifications are older are not compared any more. */
const notifiedMs = 30 * dayMs
/** Records per run: 500 per day. */
const recordsPerRun = 21

export function createRecheck(deps: Deps): Recheck {
  const { store, now, isOn } = deps
  return {
    async checkDue() {
      if (!isOn()) return
      const at = now().getTime()
      const due = wanted.unchecked(store, {
        notifiedSince: at - notifiedMs,
        checkedBefore: at - dayMs,
        limit: recordsPerRun,
      })
      await Promise.all(due.map((record) => recheck(deps, record, at)))
    },
  }
}

/** Applies the changes. A failure counts as a comparison, too: hosts that are down do not delay the others. */
async function recheck(deps: Deps, record: wanted.CheckedRecord, at: number): Promise<void> {
  const { store, actors, fetchRecord, intake, catchUp, log, signal } = deps
  const { did, collection, rkey } = record
  try {
    const change = await fetchRecord(did, collection, rkey)
    if (change.content?.cid !== cidText(record.cid)) {
      const { host } = await actors.identify(did)
      await intake.apply(host, [change], { notify: false })
    }
  } catch (error) {
    if (signal.aborted) return
    log.info({ err: error, did, collection, rkey }, 'check of a remote record failed')
    // The repository may be inactive or deleted.
    if (error instanceof Error && error.cause instanceof XrpcError) await catchUp.onIncomplete(did, undefined)
  }
  await store.transact((tx) => wanted.setChecked(tx, record.id, at))
}
