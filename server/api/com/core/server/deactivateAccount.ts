import { com } from '../../../../../lexicons/generated/index.ts'
import { mailNotice } from '../../../../identity/accounts/security-notice.ts'
import { requirePassword } from '../../../../identity/auth/own-account.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import * as accounts from '../../../../platform/store/tables/accounts.ts'
import { instant, iso } from '../../../../platform/util/time.ts'
import { statusOf } from '../../../../repository/access/status.ts'
import { emitStatusChange } from '../../../../repository/events/emit.ts'
import { method } from '../../../method.ts'

export const deactivateAccount = method(com.core.server.deactivateAccount, {
  auth: 'full or takendown',
  limits: [hourly(50, 'account')],
  async handler({ input, auth, caller, fail, identity: { passwords }, ...platform }) {
    const { store, now } = platform
    const at = now()
    const deleteAfter = input.deleteAfter === undefined ? undefined : instant(input.deleteAfter)
    if (input.deleteAfter !== undefined && !(deleteAfter && deleteAfter > at)) {
      throw fail('InvalidRequest', 'deleteAfter must be a date in the future')
    }
    // A date in a second would delete the account without the code and the password that `deleteAccount` takes.
    if (deleteAfter) await requirePassword(passwords, auth.account, input.password ?? '', caller.source)
    await store.transact((tx) => {
      const before = accounts.findByDid(tx, auth.did)
      if (!before) return
      accounts.deactivate(tx, auth.did, iso(at), deleteAfter ? iso(deleteAfter) : null)
      emitStatusChange(tx, auth.did, statusOf(before), at)
    })
    if (deleteAfter) mailNotice(platform, auth.account, 'deletionDate')
  },
})
