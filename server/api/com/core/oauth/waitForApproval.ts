import { com } from '../../../../../lexicons/generated/index.ts'
import { isAtThisComputer, refuseForeignPage } from '../../../../identity/callers/foreign-page.ts'
import { failureTexts } from '../../../../identity/oauth/attempt-failures.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const waitForApproval = method(com.core.oauth.waitForApproval, {
  auth: 'none',
  limits: [perFiveMinutes(20, 'address')],
  async handler({ input, caller, identity: { oauth }, fail }) {
    refuseForeignPage(caller)
    const { requests } = await oauth.load()
    const waiting = await requests.waitForApproval(input.id, isAtThisComputer(caller))
    if ('failure' in waiting) throw fail(waiting.failure, failureTexts[waiting.failure])
    return waiting
  },
})
