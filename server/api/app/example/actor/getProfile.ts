import { app } from '../../../../../lexicons/generated/index.ts'
import { findByIdentifier } from '../../../../accounts/identifier.ts'
import { type AccountStatus, statusOf } from '../../../../accounts/status.ts'
import { findActor } from '../../../../views/find.ts'
import { profileViewDetailed } from '../../../../views/profile-detail.ts'
import { XrpcError } from '../../../../xrpc/errors.ts'
import { method } from '../../../method.ts'

const inactive: Record<AccountStatus, { name: string; message: string }> = {
  takendown: { name: 'AccountTakedown', message: 'This account has been taken down' },
  suspended: { name: 'AccountSuspended', message: 'This account is suspended' },
  deactivated: { name: 'AccountDeactivated', message: 'This account is deactivated' },
}

export const getProfile = method(app.example.actor.getProfile, {
  auth: 'optional',
  handler({ params, auth, store, caller, viewContext, fail }) {
    const account = findByIdentifier(store, params.actor)
    if (!account) throw fail('ProfileNotFound', 'Account not found')
    const status = statusOf(account)
    if (status && account.did !== auth?.did) {
      const { name, message } = inactive[status]
      // With 401, as for the caller's own account, clients would end the session.
      throw new XrpcError(name, message, { status: 400 })
    }
    const ctx = viewContext(caller.origin, auth?.did)
    return profileViewDetailed(ctx, findActor(ctx, account.did))
  },
})
