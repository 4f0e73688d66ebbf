import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { clearDeleted, deleteMessage, restoreMessage } from '../../../../platform/mail/outbox.ts'
import { method } from '../../../method.ts'

export const deleteOutboxMessage = method(com.core.admin.deleteOutboxMessage, {
  auth: 'admin',
  async handler({ input: { id, undo = false }, caller, config, files, fail }) {
    requireThisComputer({ caller, fail })
    const { dataDir } = config
    if (undo) await restoreMessage(dataDir, id, files)
    else {
      // The last deletion can be undone: codes must not stay on the disk.
      await clearDeleted(dataDir, files)
      await deleteMessage(dataDir, id, files)
    }
  },
})
