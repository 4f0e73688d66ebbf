import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const decideRequest = method(com.core.oauth.decideRequest, {
  auth: 'full',
  active: true,
  async handler({ input, auth, identity: { oauth }, fail }) {
    const { requests } = await oauth.load()
    if (!(await requests.decide(input.id, auth.did, input.isAllowed)))
      throw fail('RequestNotFound', 'The request of the app has expired. Start again in the app.')
  },
})
