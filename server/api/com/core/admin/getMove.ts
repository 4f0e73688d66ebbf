import { com } from '../../../../../lexicons/generated/index.ts'
import { moveView } from '../../../../operation/moving/moves-view.ts'
import * as moves from '../../../../repository/tables/moves.ts'
import { method } from '../../../method.ts'

export const getMove = method(com.core.admin.getMove, {
  auth: 'admin',
  handler({ params, store }) {
    const move = moves.find(store, params.did)
    return { move: move && moveView(store, move) }
  },
})
