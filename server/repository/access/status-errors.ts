/** The status of an account, and the errors that follow from it. */
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { type StatusColumns, statusOf } from '../../store/tables/account-status.ts'

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
