import { com } from '../../../../../lexicons/generated/index.ts'
import { computerView, pairingView } from '../../../../federation/friends/friends-view.ts'
import { method } from '../../../method.ts'

export const listNearby = method(com.core.friend.listNearby, {
  auth: 'admin',
  handler: ({ federation: { friends } }) => ({
    isOn: friends.isOn,
    computers: friends.computers().map(computerView),
    pairings: friends.pairings().map(pairingView),
  }),
})
