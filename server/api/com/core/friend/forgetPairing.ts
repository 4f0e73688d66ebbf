import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const forgetPairing = method(com.core.friend.forgetPairing, {
  auth: 'admin',
  handler({ input, federation: { friends } }) {
    friends.forget(input.id)
  },
})
