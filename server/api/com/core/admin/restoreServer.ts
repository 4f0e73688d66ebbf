import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { reportRestore } from '../../../../operation/replicas/restores/report.ts'
import { requireRestores } from '../../../../operation/replicas/restores/restores.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const restoreServer = method(com.core.admin.restoreServer, {
  auth: 'admin',
  limits: [hourly(60, 'account')],
  async handler({ input, auth, caller, operation, identity, fail, ...platform }) {
    requireThisComputer({ caller, fail })
    const restores = requireRestores(operation, fail)
    await requireOwnerProof({ auth, input, caller, identity, fail })
    const report = reportRestore(platform, auth, caller)
    if (!restores.restore(input.id, report)) throw fail('NothingOpened', 'Choose what to restore first')
  },
})
