import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requirePlaces, withKey } from '../../../../operation/replicas/own-places.ts'
import { method } from '../../../method.ts'

export const keepRecoverySheet = method(com.core.admin.keepRecoverySheet, {
  auth: 'admin',
  async handler({ input: { key }, caller, operation, fail }) {
    requireThisComputer({ caller, fail })
    const places = requirePlaces(operation, fail)
    const isKept = await withKey(fail, () => places.keepSheet(key))
    if (!isKept) throw fail('InvalidRequest', 'This is not the key of the recovery sheet')
  },
})
