import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { requirePlaces, withKey } from '../../../../operation/replicas/own-places.ts'
import { sheetText } from '../../../../operation/replicas/sheet-text.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const getRecoverySheet = method(com.core.admin.getRecoverySheet, {
  auth: 'admin',
  limits: [hourly(60, 'account')],
  async handler({ input, auth, caller, operation, identity, fail, ...platform }) {
    requireThisComputer({ caller, fail })
    const places = requirePlaces(operation, fail)
    await requireOwnerProof({ auth, input, caller, identity, fail })
    const sheet = await withKey(fail, () => places.sheet())
    platform.log.info('recovery sheet shown')
    if (auth.session) await reportChange(platform, auth.session.account, 'recoverySheet', caller)
    return { ...sheet, places: [...sheet.places], text: sheetText(sheet) }
  },
})
