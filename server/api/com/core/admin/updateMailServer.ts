import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { restartSoon } from '../../../../operation/host.ts'
import { keptFor, requireChangeableMail } from '../../../../operation/own-mail.ts'
import { problemsOfInput } from '../../../../platform/config/mail-server.ts'
import { saveProblem } from '../../../../platform/config/save-problem.ts'
import { method } from '../../../method.ts'

export const updateMailServer = method(com.core.admin.updateMailServer, {
  auth: 'admin',
  async handler({ input, auth, caller, operation, identity, fail, ...platform }) {
    requireThisComputer({ caller, fail })
    const mail = requireChangeableMail(operation, fail)
    // First: a wrong value uses up no code of a second factor.
    const problems = Object.entries(problemsOfInput(input, await keptFor(input, mail, fail)))
    if (problems.length > 0) return { problems: problems.map(([field, problem]) => ({ field, problem })) }
    await requireOwnerProof({ auth, input, caller, identity, fail })
    const { log } = platform
    await mail.save(input).catch((error: Error) => {
      log.warn({ err: error }, 'mail server not saved')
      throw fail('SettingsNotSaved', saveProblem(error))
    })
    log.info('mail server changed')
    // By the mail server of before: another one may be an attacker's.
    if (auth.session) await reportChange(platform, auth.session.account, 'serverSettings', caller)
    restartSoon(operation, platform)
    return { problems: [] }
  },
})
