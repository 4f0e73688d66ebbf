import { com } from '../../../../../lexicons/generated/index.ts'
import { pairingView } from '../../../../federation/friends/friends-view.ts'
import { method } from '../../../method.ts'

export const answerPairing = method(com.core.friend.answerPairing, {
  auth: 'admin',
  handler: async ({ input, federation: { friends } }) =>
    pairingView(await friends.answer(input.id, input.isSame)),
})
