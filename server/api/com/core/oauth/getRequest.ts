import { com } from '../../../../../lexicons/generated/index.ts'
import { refuseForeignPage } from '../../../../identity/callers/foreign-page.ts'
import { failureTexts } from '../../../../identity/oauth/attempt-failures.ts'
import { requestView } from '../../../../identity/oauth/request-view.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const getRequest = method(com.core.oauth.getRequest, {
  auth: 'none',
  // The page asks every few seconds while it waits for an approval in the app window.
  limits: [perFiveMinutes(1000, 'address')],
  async handler({ params, caller, identity: { oauth }, fail }) {
    refuseForeignPage(caller)
    const { requests } = await oauth.load()
    const request = requests.find(params.id)
    if (!request) throw fail('RequestNotFound', failureTexts.RequestNotFound)
    return requestView(request)
  },
})
