import { com } from '../../../../../lexicons/generated/index.ts'
import { isAtThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { deleteMessage, restoreMessage } from '../../../../platform/mail/outbox.ts'
import { method } from '../../../method.ts'

export const deleteOutboxMessage = method(com.core.admin.deleteOutboxMessage, {
  auth: 'admin',
  async handler({ input: { id, undo = false }, caller, config, files, fail }) {
    if (!isAtThisComputer(caller))
      throw fail('NotAtThisComputer', 'Open the outbox on the computer of this server')
    await (undo ? restoreMessage : deleteMessage)(config.dataDir, id, files)
  },
})
