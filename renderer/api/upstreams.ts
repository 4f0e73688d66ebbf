/** The servers whose public streams this one reads. Only its owner may list them. */
import { com } from '../../lexicons/generated/index.ts'
import { useIsOwner } from './account.ts'
import type { Body } from './client.ts'
import { useXrpcQuery } from './hooks.ts'

const { listUpstreams } = com.core.admin

type Upstreams = Body<typeof listUpstreams.main>
export type Upstream = Upstreams['upstreams'][number]

export function useUpstreams() {
  return useXrpcQuery(listUpstreams, {}, { enabled: useIsOwner() })
}

/** Lists them again while the page is visible: every five seconds, and every second while one connects or catches up. */
export function usePolledUpstreams() {
  return useXrpcQuery(listUpstreams, {}, { enabled: useIsOwner(), pollMs })
}

const changing = ['connecting', 'catchingUp']

function pollMs(data: Upstreams | undefined): number {
  return data?.upstreams.some(({ state }) => changing.includes(state)) ? 1000 : 5000
}
