import { com } from '../../../../../lexicons/generated/index.ts'
import { inviteHolder, inviteTerms, newCode } from '../../../../identity/accounts/invite-codes.ts'
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
    const at = now()
    const terms = inviteTerms(input, at)
    if (terms === undefined) throw fail('InvalidRequest', 'expiresAt must be within a year from now')
    const code = newCode(origin)
    const row = { code, available: input.useCount, disabled: 0, forAccount, createdBy, createdAt: iso(at) }
    await store.transact((tx) => inviteCodes.insert(tx, { ...row, ...terms }, false))
    return { code }
  },
})
