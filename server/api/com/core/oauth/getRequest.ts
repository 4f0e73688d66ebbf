import { com } from '../../../../../lexicons/generated/index.ts'
import { requestView } from '../../../../identity/oauth/view.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const getRequest = method(com.core.oauth.getRequest, {
  auth: 'none',
  limits: [perFiveMinutes(300, 'address')],
  async handler({ params, identity: { oauth }, fail }) {
    const { requests } = await oauth.load()
    const request = requests.find(params.id)
    if (!request) throw fail('RequestNotFound', 'The request of the app has expired. Start again in the app.')
    await requests.show(params.id)
    return requestView(request)
  },
})
