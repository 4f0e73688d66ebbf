import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { requireRestores } from '../../../../operation/replicas/restores/restores.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const restoreServer = method(com.core.admin.restoreServer, {
  auth: 'admin',
  limits: [hourly(60, 'account')],
  async handler({ input, auth, caller, operation, identity, fail }) {
    requireThisComputer({ caller, fail })
    const restores = requireRestores(operation, fail)
    await requireOwnerProof({ auth, input, caller, identity, fail })
    if (!restores.restore(input.id)) throw fail('NothingOpened', 'Choose what to restore first')
  },
})
