/** The current account: its session data, and whether it owns the server. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { com } from '../../lexicons/generated/index.ts'
import { errorName } from './call-errors.ts'
import { callAs } from './client.ts'
import { keyOf, useXrpcQuery } from './hooks.ts'
import { updateSession, useMaybeSession } from './sessions.ts'
import { accountFields } from './vault.ts'

/** Keeps the stored session data of the current account up to date. */
export function useAccountRefresh(): void {
  const { data } = useXrpcQuery(com.core.server.getSession, {})
  useEffect(() => {
    if (data) updateSession(data.did, accountFields(data))
  }, [data])
}

const { listAccounts } = com.core.admin
const ownerParams = { limit: 1 }

/** Caches the DID of the owner, so that the navigation does not change after the response. */
const ownerKey = 'pds.owner'

/** Whether there is a session of the account that owns the server; false until the server has responded. */
export function useIsOwner(): boolean {
  return useOwnership() ?? false
}

/** Whether the current account owns the server, which is whether it may list accounts; undefined until that is known. */
export function useOwnership(): boolean | undefined {
  const { did = '', status } = useMaybeSession() ?? {}
  const { data, isError } = useQuery({
    queryKey: [did, 'is owner'],
    enabled: did !== '' && status !== 'takendown',
    staleTime: Number.POSITIVE_INFINITY,
    // Cached for the owner only: someone else may have become it.
    placeholderData: () => (localStorage.getItem(ownerKey) === did ? true : undefined),
    queryFn: async ({ client }) => {
      try {
        // Shared with the screens that show the number of accounts.
        await client.fetchQuery({
          queryKey: keyOf(did, listAccounts, ownerParams),
          queryFn: () => callAs(did, listAccounts, { params: ownerParams }),
        })
        localStorage.setItem(ownerKey, did)
        return true
      } catch (error) {
        if (errorName(error) === 'Forbidden') return false
        throw error
      }
    },
  })
  return data ?? (isError ? false : undefined)
}
