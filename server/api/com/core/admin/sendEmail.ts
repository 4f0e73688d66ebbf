import { com } from '../../../../../lexicons/generated/index.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const sendEmail = method(com.core.admin.sendEmail, {
  auth: 'admin',
  async handler({ input, store, mailer, origin, log, fail }) {
    const { recipientDid: recipient, senderDid: sender, content, comment } = input
    const account = accounts.findByDid(store, recipient)
    if (!account) throw fail('NotFound', 'Account not found')
    if (account.email === null) throw fail('InvalidRequest', 'The account has no email address')
    const subject = input.subject?.trim() || `Message from the administrator of ${new URL(origin).host}`
    if (/\p{Cc}/u.test(subject)) throw fail('InvalidRequest', 'The subject must be one line')
    await mailer.send({ to: account.email, subject, text: content, purpose: 'message' })
    log.info({ recipient, sender, comment }, 'message of an administrator sent')
    return { sent: true }
  },
})
