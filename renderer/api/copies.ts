/** The continuous copies of the server. Only its owner may read them. */

import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import type { RestorePoint, RestoreProgress, RestoreSource } from '../../electron/ground/bridge.ts'
import { com } from '../../lexicons/generated/index.ts'
import { desktop } from '../bridge.ts'
import { createStore } from '../store.ts'
import { useIsOwner } from './account.ts'
import { type Body, callAs } from './client.ts'
import { callDesktop, DesktopError, keyOf as desktopKeyOf, invalidate } from './desktop.ts'
import { keyOf, useXrpcQuery } from './hooks.ts'
import { useMaybeSession, useSession } from './sessions.ts'

const { getCopies, listRestorePoints } = com.core.admin

type Copies = Body<typeof getCopies.main>
export type CopyPlace = Copies['places'][number]

/** The screen that shows the copies. */
export const copiesScreen = '/backups'

const bannerMs = 60_000
const idleMs = 10_000
const busyMs = 2000

/** @param isListed whether a screen lists them, and not only a banner shows their problems */
export function useCopies(isListed = false) {
  const polling = isListed ? { pollMs, staleTime: 0 } : { pollMs: () => bannerMs }
  return useXrpcQuery(getCopies, {}, { enabled: useIsOwner(), ...polling })
}

function pollMs(data: Copies | undefined): number {
  const isBusy = data?.places.some(
    ({ progress, behindSeconds, lastCopiedAt }) => progress || behindSeconds > 0 || !lastCopiedAt,
  )
  return isBusy ? busyMs : idleMs
}

/** Returns a function that reads the copies and the settings again. */
export function useRefreshCopies(): () => Promise<void> {
  const client = useQueryClient()
  const { did } = useSession()
  return async () => {
    await invalidate(client, 'settings.view')
    await client.invalidateQueries({ queryKey: keyOf(did, getCopies) })
  }
}

/** The name of a place for people: the path of a folder, or the host with its folder. */
export function placeName(text: string): string {
  const url = URL.parse(text)
  if (!url) return text
  const path = decodeURIComponent(url.pathname)
  // The path of a drive of Windows begins with a slash in a URL.
  if (url.protocol === 'file:') return path.replace(/^\/(?=[A-Za-z]:)/, '')
  if (url.protocol !== 's3:') return `${url.host}${path}`
  const endpoint = URL.parse(url.searchParams.get('endpoint') ?? '')
  return endpoint ? `${url.host}${path} · ${endpoint.host}` : `${url.host}${path}`
}

/** The states to which the server can be restored from a source of this computer. */
export function usePoints(source: RestoreSource): UseQueryResult<readonly RestorePoint[]> {
  const { did = '' } = useMaybeSession() ?? {}
  return useQuery({
    queryKey: desktopKeyOf('restore.points', source),
    networkMode: 'always',
    async queryFn() {
      if (!desktop && source.from === 'place')
        return (await callAs(did, listRestorePoints, { params: { url: source.url } })).points
      const { problems, points } = await callDesktop('restore.points', source)
      const [problem] = Object.values(problems)
      if (problem !== undefined) throw new DesktopError(problem)
      return points
    },
  })
}

/** How far the fetching of a restore is. */
export const restoreProgress = createStore<RestoreProgress | undefined>(undefined)

desktop?.on('restoreProgress', (progress) => restoreProgress.set(progress))
