import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { isMailWaiting, requireMail } from '../../../../operation/own-mail.ts'
import { method } from '../../../method.ts'

export const getMailServer = method(com.core.admin.getMailServer, {
  auth: 'admin',
  async handler({ caller, operation, config, fail }) {
    requireThisComputer({ caller, fail })
    const mail = requireMail(operation, fail)
    const password = await mail.password()
    return {
      mailServer: mail.server(),
      hasPassword: password !== undefined,
      fixedBy: mail.setBy,
      waiting: isMailWaiting(config, mail, password),
    }
  },
})
