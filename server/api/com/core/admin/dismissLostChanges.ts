import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const dismissLostChanges = method(com.core.admin.dismissLostChanges, {
  auth: 'admin',
  limits: [hourly(60, 'account')],
  async handler({ input, auth, caller, operation: { copies }, identity, fail }) {
    requireThisComputer({ caller, fail })
    const { url } = input
    // The place deletes them in time: a stolen session could otherwise have them lost unseen.
    await requireOwnerProof({ auth, input, caller, identity, fail })
    const isPlace = copies.status().some((each) => each.url === url)
    if (!isPlace) throw fail('InvalidRequest', 'This is no place of the copies')
    await copies.dismissLost(url)
  },
})
