import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireRestores } from '../../../../operation/replicas/restores/restores.ts'
import { method } from '../../../method.ts'

export const cancelRestore = method(com.core.admin.cancelRestore, {
  auth: 'admin',
  async handler({ input: { id }, caller, operation, fail }) {
    requireThisComputer({ caller, fail })
    await requireRestores(operation, fail).cancel(id)
  },
})
