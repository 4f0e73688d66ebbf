import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { shownBackup } from '../../../../operation/replicas/local/shown-backup.ts'
import { backupFolder } from '../../../../operation/replicas/local/target.ts'
import { method } from '../../../method.ts'

export const listBackups = method(com.core.admin.listBackups, {
  auth: 'admin',
  async handler({ caller, config, operation: { backups }, fail }) {
    requireThisComputer({ caller, fail })
    return {
      backups: (await backups.list()).map(shownBackup),
      making: backups.isMaking(),
      folder: backupFolder(config.dataDir),
    }
  },
})
