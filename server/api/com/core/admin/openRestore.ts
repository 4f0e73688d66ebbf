import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireRestores } from '../../../../operation/replicas/restores/restores.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const openRestore = method(com.core.admin.openRestore, {
  auth: 'admin',
  // It fetches from a place, for which a provider may charge.
  limits: [hourly(60, 'account')],
  handler({ input: { url, at }, caller, operation, fail }) {
    requireThisComputer({ caller, fail })
    const source = url === undefined ? { from: 'backups' as const } : { from: 'place' as const, url }
    const id = requireRestores(operation, fail).open(source, at)
    if (id === undefined)
      throw fail('RestoreRunning', 'The server is being restored. Wait until it has ended')
    return { id }
  },
})
