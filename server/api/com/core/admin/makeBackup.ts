import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { shownBackup, withRemedy } from '../../../../operation/replicas/local/shown-backup.ts'
import { method } from '../../../method.ts'

export const makeBackup = method(com.core.admin.makeBackup, {
  auth: 'admin',
  limits: [{ points: 30, seconds: 3600, per: 'account' }],
  async handler({ caller, operation: { backups, backupProofs }, log, fail }) {
    requireThisComputer({ caller, fail })
    return withRemedy({ log, fail }, async () => {
      const made = await backups.make()
      return shownBackup({ ...made, proof: await backupProofs.prove(made) })
    })
  },
})
