/** What is known of the account that this window shows. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { com } from '../../lexicons/generated/index.ts'
import { callAs } from './client.ts'
import { errorName } from './errors.ts'
import { useRead } from './hooks.ts'
import { updateSession, useSession } from './sessions.ts'
import { accountFields } from './vault.ts'

/** Keeps what is known of the account up to date while it is shown. */
export function useFreshAccount(): void {
  const { data } = useRead(com.core.server.getSession, {})
  useEffect(() => {
    if (data) updateSession(data.did, accountFields(data))
  }, [data])
}

/** The account that owned it the last time: the navigation need not wait for the answer, and then move. */
const ownerKey = 'pds.owner'

/** Whether the account owns the server: it does when the server lets it see the accounts. */
export function useIsOwner(): boolean {
  const { did, status } = useSession()
  const { data = false } = useQuery({
    queryKey: [did, 'is owner'],
    enabled: status !== 'takendown',
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: () => localStorage.getItem(ownerKey) === did,
    queryFn: async () => {
      try {
        await callAs(did, com.core.admin.listAccounts, { params: { limit: 1 } })
        localStorage.setItem(ownerKey, did)
        return true
      } catch (error) {
        if (errorName(error) === 'Forbidden') return false
        throw error
      }
    },
  })
  return data
}
