import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const waitForApproval = method(com.core.oauth.waitForApproval, {
  auth: 'none',
  limits: [perFiveMinutes(20, 'address')],
  async handler({ input, identity: { oauth }, fail }) {
    const { requests } = await oauth.load()
    const number = requests.find(input.id) && (await requests.waitForApproval(input.id))
    if (number === undefined)
      throw fail('RequestNotFound', 'The request of the app has expired. Start again in the app.')
    return { number }
  },
})
