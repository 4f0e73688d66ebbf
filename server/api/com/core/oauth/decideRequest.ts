import { com } from '../../../../../lexicons/generated/index.ts'
import { isAtThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { failureTexts } from '../../../../identity/oauth/attempt-failures.ts'
import { method } from '../../../method.ts'

export const decideRequest = method(com.core.oauth.decideRequest, {
  auth: 'full',
  active: true,
  async handler({ input, auth: { did, sessionId }, caller, identity: { oauth }, fail }) {
    const { requests } = await oauth.load()
    const decided = await requests.decide(input, { did, sessionId, isHere: isAtThisComputer(caller) })
    if ('failure' in decided) throw fail(decided.failure, failureTexts[decided.failure])
    return decided
  },
})
