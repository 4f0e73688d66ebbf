import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { listReplaced } from '../../../../store/backups/replaced.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const listReplacedData = method(com.core.admin.listReplacedData, {
  auth: 'admin',
  async handler({ caller, config: { dataDir }, files, fail }) {
    requireThisComputer({ caller, fail })
    const data = (await listReplaced(dataDir, files)).map(({ replacedAt, keptUntil, ...folder }) => ({
      ...folder,
      replacedAt: iso(replacedAt),
      keptUntil: iso(keptUntil),
    }))
    return { data }
  },
})
