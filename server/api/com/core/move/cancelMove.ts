import { com } from '../../../../../lexicons/generated/index.ts'
import { moveOfAccount } from '../../../../operation/moving/control.ts'
import { streamStates } from '../../../../store/tables/stream-state.ts'
import { method } from '../../../method.ts'

export const cancelMove = method(com.core.move.cancelMove, {
  auth: 'full or takendown',
  async handler({ auth, fail, operation: { moves, accountDeletion }, store, now }) {
    const { did, account } = auth
    const move = moveOfAccount(store, did)
    if (!(await moves.cancel(did))) throw fail('MoveRefused', 'The move is too far to be cancelled')
    // An account that was active here before keeps its data.
    if (move.direction === 'out' || account.streamState !== streamStates.unannounced) return
    await store.transact((tx) => accountDeletion.hide(tx, did, now()))
    await accountDeletion.finish(account)
  },
})
