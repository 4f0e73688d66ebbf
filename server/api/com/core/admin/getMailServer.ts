import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { isMailWaiting, readMail, requireMail } from '../../../../operation/own-mail.ts'
import { method } from '../../../method.ts'

export const getMailServer = method(com.core.admin.getMailServer, {
  auth: 'admin',
  async handler({ caller, operation, config, fail }) {
    requireThisComputer({ caller, fail })
    const mail = requireMail(operation, fail)
    const next = await readMail(mail, fail)
    return {
      mailServer: next.server,
      hasPassword: next.password !== undefined,
      fixedBy: mail.setBy,
      waiting: isMailWaiting(config, next),
    }
  },
})
