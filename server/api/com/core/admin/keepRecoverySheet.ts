import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requirePlaces, withKey } from '../../../../operation/replicas/own-places.ts'
import { method } from '../../../method.ts'

export const keepRecoverySheet = method(com.core.admin.keepRecoverySheet, {
  auth: 'admin',
  async handler({ caller, operation, fail }) {
    requireThisComputer({ caller, fail })
    const places = requirePlaces(operation, fail)
    await withKey(fail, () => places.keepSheet())
  },
})
