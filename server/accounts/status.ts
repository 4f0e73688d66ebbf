/** The status of an account, and what it keeps from being done. */
import type { Account } from '../store/tables/accounts.ts'
import { XrpcError } from '../xrpc/errors.ts'

export type AccountStatus = 'takendown' | 'suspended' | 'deactivated'

type StatusColumns = Pick<Account, 'takenDownAt' | 'suspendedAt' | 'deactivatedAt'>

/** Undefined for an active account; the gravest when several apply. */
export function statusOf(account: StatusColumns): AccountStatus | undefined {
  if (account.takenDownAt !== null) return 'takendown'
  if (account.suspendedAt !== null) return 'suspended'
  return account.deactivatedAt !== null ? 'deactivated' : undefined
}

/** The fields `active` and `status` of every answer that shows a session. */
export function activity(account: StatusColumns): { active: boolean; status?: AccountStatus } {
  const status = statusOf(account)
  return status ? { active: false, status } : { active: true }
}

export const takendownError = (): XrpcError =>
  new XrpcError('AccountTakedown', 'This account has been taken down')

/** What an account that is not active answers to a method that needs an active one. */
export function statusError(account: StatusColumns): XrpcError | undefined {
  switch (statusOf(account)) {
    case 'takendown':
      return takendownError()
    case 'suspended':
      return new XrpcError('AccountSuspended', 'This account is suspended')
    case 'deactivated':
      return new XrpcError('AccountDeactivated', 'This account is deactivated. Activate it first.')
    default:
      return undefined
  }
}
