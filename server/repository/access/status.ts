/** The status of an account, and the errors that follow from it. */
import type { Account } from '../../platform/store/tables/accounts.ts'
import { XrpcError } from '../../platform/xrpc/errors.ts'

export type AccountStatus = 'takendown' | 'suspended' | 'deactivated'

type StatusColumns = Pick<Account, 'takenDownAt' | 'suspendedAt' | 'deactivatedAt'>

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

export const takendownError = (): XrpcError =>
  new XrpcError('AccountTakedown', 'This account has been taken down')

/** Returns the error for a method that needs an active account; undefined if the account is active. */
export function statusError(account: StatusColumns): XrpcError | undefined {
  switch (statusOf(account)) {
    case 'takendown':
      return takendownError()
    case 'suspended':
      return new XrpcError(
        'AccountSuspended',
        'This account is suspended. Only an administrator can lift the suspension.',
      )
    case 'deactivated':
      return new XrpcError('AccountDeactivated', 'This account is deactivated. Activate it first.')
    default:
      return undefined
  }
}
