import { com } from '../../../../../lexicons/generated/index.ts'
import { inviteHolder, newCode } from '../../../../identity/accounts/invite-codes.ts'
import * as inviteCodes from '../../../../identity/tables/invite-codes.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const createInviteCode = method(com.core.server.createInviteCode, {
  auth: 'admin',
  active: true,
  async handler({ input, auth, store, origin, now, fail }) {
    const createdBy = auth.did ?? 'admin'
    const forAccount = inviteHolder(input.forAccount ?? createdBy)
    if (forAccount === undefined) throw fail('InvalidRequest', 'forAccount must be a DID, or admin')
    const code = newCode(origin)
    const createdAt = iso(now())
    await store.transact((tx) =>
      inviteCodes.insert(
        tx,
        { code, available: input.useCount, disabled: 0, forAccount, createdBy, createdAt },
        false,
      ),
    )
    return { code }
  },
})
