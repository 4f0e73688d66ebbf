import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { withRemedy } from '../../../../operation/replicas/local/shown-backup.ts'
import { method } from '../../../method.ts'

export const deleteBackup = method(com.core.admin.deleteBackup, {
  auth: 'admin',
  async handler({ input, auth, caller, identity, operation: { backups }, log, fail }) {
    requireThisComputer({ caller, fail })
    const { id, undo = false } = input
    // A thief of a session, which deletes records, would otherwise delete what brings them back.
    if (!undo) await requireOwnerProof({ auth, input, caller, identity, fail })
    const isDone = await withRemedy({ log, fail }, () => (undo ? backups.undelete(id) : backups.delete(id)))
    if (!isDone) throw fail('BackupNotFound', 'This backup no longer exists')
    log.info({ backup: id }, undo ? 'deleted backup brought back' : 'backup deleted')
  },
})
