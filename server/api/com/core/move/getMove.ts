import { com } from '../../../../../lexicons/generated/index.ts'
import { moveView } from '../../../../operation/moving/moves-view.ts'
import * as moves from '../../../../repository/tables/moves.ts'
import { method } from '../../../method.ts'

export const getMove = method(com.core.move.getMove, {
  auth: 'full or takendown',
  handler({ auth, store }) {
    const move = moves.find(store, auth.did)
    return { move: move && moveView(store, move) }
  },
})
