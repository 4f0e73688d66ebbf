import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const getAnswer = method(com.core.oauth.getAnswer, {
  auth: 'none',
  limits: [perFiveMinutes(1000, 'address')],
  async handler({ input, identity: { oauth }, fail }) {
    const { requests } = await oauth.load()
    if (!requests.find(input.id))
      throw fail('RequestNotFound', 'The request of the app has expired. Start again in the app.')
    return { location: await requests.answer(input.id) }
  },
})
