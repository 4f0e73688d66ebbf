import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { deleteReplaced, listReplaced } from '../../../../store/backups/replaced.ts'
import { method } from '../../../method.ts'

export const deleteReplacedData = method(com.core.admin.deleteReplacedData, {
  auth: 'admin',
  limits: [hourly(60, 'account')],
  async handler({ input, auth, caller, config: { dataDir }, files, identity, log, fail }) {
    requireThisComputer({ caller, fail })
    const { name } = input
    const missing = () => fail('DataNotFound', 'This data no longer exists')
    if (!(await listReplaced(dataDir, files)).some((each) => each.name === name)) throw missing()
    await requireOwnerProof({ auth, input, caller, identity, fail })
    if (!(await deleteReplaced(dataDir, name, files))) throw missing()
    log.info({ folder: name }, 'replaced data deleted')
  },
})
