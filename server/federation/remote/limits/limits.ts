/**
 * Limits how much other servers can make this one do; `filter/filter.ts` decides what is kept at all. Read `numbers.ts` for all numbers.
 *
 * | of          | limit                                   | beyond it                                            |
 * | ----------- | --------------------------------------- | ---------------------------------------------------- |
 * | all         | bytes of stored records                 | old records are evicted, or new ones refused         |
 * | an author   | share of these bytes, records per hour  | records are refused                                  |
 * | a record    | likes and reposts per hour              | records are refused                                  |
 * | a source    | records per hour                        | records are refused                                  |
 * | a host      | bytes per day, lowest speed             | the download ends                                    |
 * | an upstream | all events and bytes per second         | it is read more slowly                               |
 * | an upstream | new events, notices, invalid events     | it is cut off                                        |
 */
import type { Platform } from '../../../platform/platform.ts'
import { type Budgets, createBudgets } from './budgets.ts'
import { createDownloads, type Downloads } from './downloads.ts'
import { createQuota, type Quota } from './quota.ts'
import { createUpstreamLimits, type UpstreamLimits } from './upstream.ts'

export interface Limits {
  /** Of stored records. */
  readonly quota: Quota
  /** Of new and changed records. */
  readonly budgets: Budgets
  readonly downloads: Downloads
  /** Begins to count for one upstream. */
  ofUpstream(): UpstreamLimits
}

interface Deps extends Pick<Platform, 'store' | 'now' | 'log'> {
  readonly config: { readonly remoteLimit: number }
}

export function createLimits(deps: Deps): Limits {
  const { now } = deps
  return {
    quota: createQuota(deps),
    budgets: createBudgets(deps),
    downloads: createDownloads(now),
    ofUpstream: () => createUpstreamLimits(now),
  }
}
