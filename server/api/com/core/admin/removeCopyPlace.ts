import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireChangeable } from '../../../../operation/replicas/own-places.ts'
import { method } from '../../../method.ts'

export const removeCopyPlace = method(com.core.admin.removeCopyPlace, {
  auth: 'admin',
  async handler({ input: { url }, caller, operation, fail }) {
    requireThisComputer({ caller, fail })
    if (await requireChangeable(operation, fail).remove(url)) return
    throw fail('PlaceNotFound', 'This place was not added here, or is removed already')
  },
})
