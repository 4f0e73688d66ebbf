import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const conclude = method(com.core.friend.conclude, {
  auth: 'none',
  limits: [perFiveMinutes(20, 'address')],
  handler({ input, caller, federation: { friends } }) {
    friends.conclude(caller, input.id, input.isSame)
  },
})
