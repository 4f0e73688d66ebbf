/** The servers whose public streams this one reads. Only its owner may list them. */
import { com } from '../../lexicons/generated/index.ts'
import { useIsOwner } from './account.ts'
import type { Body } from './client.ts'
import { useXrpcQuery } from './hooks.ts'

const { listUpstreams } = com.core.admin

export type Upstream = Body<typeof listUpstreams.main>['upstreams'][number]

/** @param everyMs reads them again while the page is visible */
export function useUpstreams(everyMs?: number) {
  const enabled = useIsOwner()
  return useXrpcQuery(listUpstreams, {}, { enabled, ...(everyMs && { refetchInterval: everyMs }) })
}
