/** Stores the finding about an event. */
import type { DidString } from '@atproto/syntax'
import type { Writer } from '../../store/database.ts'
import type { CatchUp } from '../remote/catch-up.ts'
import type { Intake } from '../remote/intake.ts'
import type { Finding } from './examine.ts'

/**
 * @param last runs in the transaction that stores the finding, or its last part; skipped if this server stores nothing itself
 * @throws StoreFull, StoreUnavailable
 */
export type StoreFinding = (finding: Finding, last: (tx: Writer) => void) => Promise<void>

interface Deps {
  /** Origin of the upstream. */
  readonly origin: string
  readonly intake: Pick<Intake, 'apply' | 'setStatus'>
  readonly catchUp: Pick<CatchUp, 'onIncomplete'>
  readonly onStored: (records: number) => void
  /** Called with the author of each event that was left out. */
  readonly onDropped: (did: DidString) => Promise<void>
}

export function createStoreFinding({ origin, intake, catchUp, onStored, onDropped }: Deps): StoreFinding {
  return async (finding, last) => {
    if (finding.kind === 'changes') {
      const refused: DidString[] = []
      const onRefused = (did: DidString) => void refused.push(did)
      const { stored } = await intake.apply(origin, finding.changes, { last, onRefused })
      onStored(stored)
      for (const did of refused) await onDropped(did)
    } else if (finding.kind === 'dropped') {
      await onDropped(finding.did)
    } else if (finding.kind === 'status') {
      await intake.setStatus(finding.did, finding.status, last)
    } else if (finding.kind === 'incomplete') {
      await catchUp.onIncomplete(finding.did, origin)
    }
  }
}
