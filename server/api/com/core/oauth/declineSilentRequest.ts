import { com } from '../../../../../lexicons/generated/index.ts'
import { failureTexts } from '../../../../identity/oauth/attempt-failures.ts'
import { method } from '../../../method.ts'

export const declineSilentRequest = method(com.core.oauth.declineSilentRequest, {
  auth: 'full',
  async handler({ input, auth: { did, sessionId }, identity: { oauth }, fail }) {
    const { requests } = await oauth.load()
    const declined = await requests.declineSilently(input.id, { did, sessionId })
    if ('failure' in declined) throw fail(declined.failure, failureTexts[declined.failure])
    return declined
  },
})
