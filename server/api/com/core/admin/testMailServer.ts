import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { keptFor, readMail, requireChangeableMail } from '../../../../operation/own-mail.ts'
import { mailTexts, senderOf, testProblem } from '../../../../platform/config/mail-server.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { testMessage, tryMailServer } from '../../../../platform/mail/mailer.ts'
import { method } from '../../../method.ts'

export const testMailServer = method(com.core.admin.testMailServer, {
  auth: 'admin',
  limits: [hourly(60, 'account')],
  async handler({ input, auth, caller, operation, identity, fail }) {
    requireThisComputer({ caller, fail })
    const mail = requireChangeableMail(operation, fail)
    const { mailServer, mailPassword, to } = input
    const problem = testProblem(input, to, await keptFor(input, mail, fail))
    if (problem !== undefined) throw fail('InvalidRequest', problem)
    await requireOwnerProof({ auth, input, caller, identity, fail })
    const { smtpUrl } = mailTexts(mailServer, mailPassword ?? (await readMail(mail, fail)).password)
    const failure = await tryMailServer(smtpUrl, senderOf(mailServer), { to, ...testMessage })
    if (failure !== undefined) throw fail('MailNotSent', failure)
  },
})
