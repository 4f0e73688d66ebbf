import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'

/** An account in the list of the owner. */
export type ListedAccount = Body<typeof com.core.admin.searchAccounts.main>['accounts'][number]

/** Queries that return accounts: changes of an account invalidate them. */
export const accountQueries = [com.core.admin.searchAccounts, com.core.admin.listAccounts]

/** The subject of a change of an account's status. */
export function subjectOf({ did }: ListedAccount) {
  return { $type: 'com.core.admin.defs#repoRef' as const, did }
}
