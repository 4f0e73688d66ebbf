import { com } from '../../../../../lexicons/generated/index.ts'
import { earnedCodes, inviteCodeViews, newCode } from '../../../../identity/accounts/invite-codes.ts'
import * as inviteCodes from '../../../../identity/tables/invite-codes.ts'
import { statusOf } from '../../../../store/tables/account-status.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const getAccountInviteCodes = method(com.core.server.getAccountInviteCodes, {
  auth: 'full',
  async handler({ params, auth, store, config, origin, now }) {
    const { did, account } = auth
    const count = () => earnedCodes(account, inviteCodes.earned(store, did), config.inviteInterval, now())
    const mayEarn = statusOf(account) === undefined && account.invitesDisabled === 0
    if (params.createAvailable !== false && mayEarn && count() > 0) {
      const createdAt = iso(now())
      await store.transact((tx) => {
        for (let left = count(); left > 0; left--) {
          const code = newCode(origin)
          const row = { code, available: 1, disabled: 0, forAccount: did, createdBy: did, createdAt }
          inviteCodes.insert(tx, row, true)
        }
      })
    }
    const codes = inviteCodes
      .ofAccount(store, did)
      .filter((code) => params.includeUsed !== false || code.available > 0)
    return { codes: inviteCodeViews(store, codes) }
  },
})
