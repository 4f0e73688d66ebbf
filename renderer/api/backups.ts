/** The backups on the computer of the server. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { RestorePoint } from '../../electron/ground/bridge.ts'
import { com } from '../../lexicons/generated/index.ts'
import { useStore } from '../store.ts'
import { useIsOwner } from './account.ts'
import { type Body, callAs } from './client.ts'
import { callDesktop, keyOf as desktopKeyOf, serverState } from './desktop.ts'
import { isAtServer } from './endpoint.ts'
import { keyOf } from './hooks.ts'
import { useMaybeSession } from './sessions.ts'

const { listBackups } = com.core.admin

export interface Backups {
  /** Newest first. */
  readonly points: readonly BackupPoint[]
  readonly isMaking: boolean
  /** Path of their folder; undefined while the server does not answer. */
  readonly folder: string | undefined
}

export interface BackupPoint extends RestorePoint {
  /** For calls of the server; undefined while it does not answer. */
  readonly id: string | undefined
}

/** As the source of a restore. */
export const ownBackups = { from: 'backups' } as const

const idleMs = 60_000
const busyMs = 2000

/**
 * Lists the backups: the server does so for its owner at this computer. The desktop reads them from the disk for others, and while the
 * server is stopped. Elsewhere the query is disabled.
 */
export function useBackups(): UseQueryResult<Backups> {
  const { did = '' } = useMaybeSession() ?? {}
  const isOwner = useIsOwner()
  const state = useStore(serverState)
  const isDown = state?.kind === 'stopped' || state?.kind === 'failed'
  const isServed = isOwner && !isDown
  return useQuery({
    queryKey: isServed ? keyOf(did, listBackups, {}) : desktopKeyOf('restore.points', ownBackups),
    queryFn: async ({ signal }) =>
      isServed ? fromServer(await callAs(did, listBackups, { signal })) : fromDisk(),
    enabled: isAtServer && (isServed || state !== undefined),
    refetchInterval: ({ state: { data } }) => isServed && (data?.isMaking ? busyMs : idleMs),
    networkMode: isServed ? 'online' : 'always',
  })
}

function fromServer({ backups, making, folder }: Body<typeof listBackups.main>): Backups {
  const points = backups.map(({ partial: isPartial, proof, ...backup }) => ({
    ...{ ...backup, isPartial },
    ...(proof && { proof }),
  }))
  return { points, isMaking: making, folder }
}

async function fromDisk(): Promise<Backups> {
  const { points } = await callDesktop('restore.points', ownBackups)
  return {
    points: points.map((point) => ({ ...point, id: undefined })),
    isMaking: false,
    folder: undefined,
  }
}
