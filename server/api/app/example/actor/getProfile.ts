import { app } from '../../../../../lexicons/generated/index.ts'
import { isVisible } from '../../../../app/views/filter/actors.ts'
import { actorIdByIdentifier } from '../../../../app/views/find/named.ts'
import { actorById } from '../../../../app/views/load/actors.ts'
import { profileViewDetailed } from '../../../../app/views/show/profile-detail.ts'
import { XrpcError } from '../../../../platform/xrpc/xrpc-errors.ts'
import { findByIdentifier } from '../../../../repository/access/identifier.ts'
import { type AccountStatus, statusOf } from '../../../../store/tables/account-status.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

const inactive: Record<AccountStatus, { name: string; message: string }> = {
  takendown: { name: 'AccountTakedown', message: 'This account has been taken down' },
  suspended: { name: 'AccountSuspended', message: 'This account is suspended' },
  deactivated: { name: 'AccountDeactivated', message: 'This account is deactivated' },
}

export const getProfile = method(app.example.actor.getProfile, {
  auth: 'optional',
  async handler({ params, auth, store, caller, app, federation, fail }) {
    const account = findByIdentifier(store, params.actor)
    const status = account && statusOf(account)
    if (status && account.did !== auth?.did) {
      const { name, message } = inactive[status]
      // With 401, as for the caller's own account, clients would end the session.
      throw new XrpcError(name, message, { status: 400 })
    }
    // Anyone could have other servers asked otherwise.
    if (!account && auth) await federation.transientActors.read(params.actor, requesterOf(caller, auth.did))
    const ctx = app.viewContext(caller.origin, auth?.did)
    const id = actorIdByIdentifier(ctx, account?.did ?? params.actor)
    const isShown = id !== undefined && isVisible(ctx, id) && actorById(ctx, id).isKnown
    if (!isShown) throw fail('ProfileNotFound', 'Account not found')
    return profileViewDetailed(ctx, id)
  },
})
