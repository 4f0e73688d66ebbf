import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const acceptEmptyPlace = method(com.core.admin.acceptEmptyPlace, {
  auth: 'admin',
  limits: [hourly(60, 'account')],
  async handler({ input, auth, caller, operation: { copies }, identity, fail, ...platform }) {
    requireThisComputer({ caller, fail })
    const { url } = input
    // As adding a place: who has emptied one could otherwise hide it.
    await requireOwnerProof({ auth, input, caller, identity, fail })
    const place = copies.status().find((each) => each.url === url)
    if (!place) throw fail('InvalidRequest', 'This is no place of the copies')
    // The permission lasts until the server begins anew there.
    if (place.problem?.kind !== 'empty') throw fail('InvalidRequest', 'This place is not empty')
    await copies.acceptEmpty(url)
    if (auth.session) await reportChange(platform, auth.session.account, 'backups', caller)
  },
})
