import { com } from '../../../../../lexicons/generated/index.ts'
import { moveOfAccount, continueMove as proceed } from '../../../../operation/moving/control.ts'
import { moveView } from '../../../../operation/moving/moves-view.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const continueMove = method(com.core.move.continueMove, {
  auth: 'full or takendown',
  limits: [perFiveMinutes(10, 'account')],
  async handler({ input, auth, store, operation: { moves } }) {
    await proceed({ store, moves }, auth.did, input)
    return moveView(store, moveOfAccount(store, auth.did))
  },
})
