/** The status of an account. */
import type { Account } from './accounts.ts'

export type AccountStatus = 'takendown' | 'suspended' | 'deactivated'

export type StatusColumns = Pick<Account, 'takenDownAt' | 'suspendedAt' | 'deactivatedAt'>

/** Returns the most severe status that applies; undefined for an active account. */
export function statusOf(account: StatusColumns): AccountStatus | undefined {
  if (account.takenDownAt !== null) return 'takendown'
  if (account.suspendedAt !== null) return 'suspended'
  return account.deactivatedAt !== null ? 'deactivated' : undefined
}

/** Returns the fields `active` and `status` of a session. */
export function activity(account: StatusColumns): { active: boolean; status?: AccountStatus } {
  const status = statusOf(account)
  return status ? { active: false, status } : { active: true }
}
