import { com } from '../../../../../lexicons/generated/index.ts'
import { pairingView } from '../../../../federation/friends/friends-view.ts'
import { method } from '../../../method.ts'

export const askComputer = method(com.core.friend.askComputer, {
  auth: 'admin',
  handler: async ({ input, federation: { friends } }) => pairingView(await friends.ask(input.id)),
})
