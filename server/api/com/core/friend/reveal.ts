import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const reveal = method(com.core.friend.reveal, {
  auth: 'none',
  limits: [perFiveMinutes(20, 'address')],
  handler({ input, caller, federation: { friends } }) {
    friends.reveal(caller, input.id, input.nonce)
  },
})
