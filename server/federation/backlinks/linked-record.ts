/**
 * Fetches and stores the record of a link. A link by itself counts for nothing: the host of its author must prove the record, and the
 * record must refer to something here.
 */
import { LRUCache } from 'lru-cache'
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import type { Platform } from '../../platform/platform.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { InvalidProof } from '../../repository/format/verify-commit.ts'
import * as records from '../../repository/tables/records.ts'
import type { Reader } from '../../store/database.ts'
import { StoreFull, StoreUnavailable } from '../../store/files/store-errors.ts'
import type { FetchRecord } from '../remote/fetch-record.ts'
import type { Intake } from '../remote/intake.ts'
import { keyOf, type Link } from './link.ts'
import { isRecent } from './recent-records.ts'

/** `ignored`: the record is missing, unproven, or refers to nothing here. `retry`: fetching it failed for now. */
export type Outcome = 'kept' | 'ignored' | 'retry'

export interface LinkedRecords {
  /** Whether the record of a link is stored, or was fetched and not kept. */
  isKnown(link: Link): boolean
  load(link: Link): Promise<Outcome>
}

export interface LinkedRecordDeps extends Pick<Platform, 'log' | 'now'> {
  readonly store: Reader
  readonly fetchRecord: FetchRecord
  readonly intake: Pick<Intake, 'apply'>
}

/** Name of this source for the budgets of `intake`. */
const sourceName = 'backlinks'
const maxSettled = 20_000

export function createLinkedRecords({
  store,
  fetchRecord,
  intake,
  log,
  now,
}: LinkedRecordDeps): LinkedRecords {
  /** Latest revision up to which a record was fetched, also if nothing was kept. */
  const settled = new LRUCache<string, string>({ max: maxSettled })

  const storedRev = ({ did, collection, rkey }: Link) =>
    records.findDated(store, did, collection, rkey)?.rev ?? undefined

  function isKnown(link: Link): boolean {
    return [storedRev(link), settled.get(keyOf(link))].some(
      (rev) => rev !== undefined && rev >= (link.rev ?? ''),
    )
  }

  function settle(link: Link, rev = ''): void {
    settled.set(keyOf(link), link.rev !== undefined && link.rev > rev ? link.rev : rev)
  }

  return {
    isKnown,
    async load(link) {
      if (isKnown(link)) return 'kept'
      try {
        const change = await fetchRecord(link.did, link.collection, link.rkey)
        // A link of the live stream is new. A catch-up also finds records that are too old to notify.
        const notify = link.rev !== undefined || isRecent(change, now())
        const { deleted, overBudget } = await intake.apply(sourceName, [change], { notify })
        // A later catch-up may store records that are over budget now.
        if (overBudget === 0) settle(link, change.rev)
        return deleted > 0 || storedRev(link) !== undefined ? 'kept' : 'ignored'
      } catch (error) {
        if (isOutage(error)) return 'retry'
        if (!isDefinite(error)) log.error({ err: error, record: keyOf(link) }, 'linked record failed')
        settle(link)
        return 'ignored'
      }
    },
  }
}

/** Whether another attempt may have another result. */
function isOutage(error: unknown): boolean {
  if (error instanceof UnresolvableDid) return error.isOutage
  if (error instanceof OutboundFailed) return !isRefusal(error.cause)
  return error instanceof StoreFull || error instanceof StoreUnavailable
}

/** Whether a host has answered that the repository is missing or the account inactive. */
function isRefusal(error: unknown): boolean {
  return error instanceof XrpcError && error.status < 500 && error.status !== 429
}

/** Whether the link leads to nothing that counts. */
function isDefinite(error: unknown): boolean {
  return [UnresolvableDid, OutboundFailed, OutboundRefused, InvalidProof].some(
    (kind) => error instanceof kind,
  )
}
