import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const propose = method(com.core.friend.propose, {
  auth: 'none',
  limits: [perFiveMinutes(20, 'address')],
  handler: ({ input, caller, federation: { friends } }) => friends.propose(caller, input),
})
