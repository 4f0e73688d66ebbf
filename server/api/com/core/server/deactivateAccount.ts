import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { daily, hourly } from '../../../../platform/config/rate-limits.ts'
import { existingAccount } from '../../../../repository/access/existing.ts'
import { emitStatusChange } from '../../../../repository/events/emit.ts'
import { statusOf } from '../../../../store/tables/account-status.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { instant, iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const deactivateAccount = method(com.core.server.deactivateAccount, {
  auth: 'full or takendown',
  // A date is mailed to an address that may be unconfirmed.
  limits: [hourly(20, 'account'), daily(50, 'account')],
  async handler({ input, auth, caller, fail, ...platform }) {
    const { store, now } = platform
    const at = now()
    const deleteAfter = input.deleteAfter === undefined ? undefined : instant(input.deleteAfter)
    if (input.deleteAfter !== undefined && !(deleteAfter && deleteAfter > at)) {
      throw fail('InvalidRequest', 'deleteAfter must be a date in the future')
    }
    const date = deleteAfter ? iso(deleteAfter) : null
    const isNewDate = await store.transact((tx) => {
      const before = existingAccount(tx, auth.did)
      accounts.deactivate(tx, auth.did, iso(at), date)
      emitStatusChange(tx, auth.did, statusOf(before), at)
      return date !== null && date !== before.deleteAfter
    })
    if (isNewDate) await reportChange(platform, auth.account, 'deletionDate', caller)
  },
})
