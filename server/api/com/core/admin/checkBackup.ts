import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { shownBackup, withRemedy } from '../../../../operation/replicas/local/shown-backup.ts'
import { method } from '../../../method.ts'

export const checkBackup = method(com.core.admin.checkBackup, {
  auth: 'admin',
  limits: [{ points: 60, seconds: 3600, per: 'account' }],
  async handler({ input: { id }, caller, operation: { backups, backupProofs }, log, fail }) {
    requireThisComputer({ caller, fail })
    return withRemedy({ log, fail }, async () => {
      const backup = await backups.find(id)
      if (!backup) throw fail('BackupNotFound', 'This backup no longer exists')
      return shownBackup({ ...backup, proof: await backupProofs.prove(backup) })
    })
  },
})
