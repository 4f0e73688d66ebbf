import { com } from '../../../../../lexicons/generated/index.ts'
import { moveOfAccount } from '../../../../operation/moving/control.ts'
import { moveView } from '../../../../operation/moving/moves-view.ts'
import { startMoveOut } from '../../../../operation/moving/start-out.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const moveOut = method(com.core.move.moveOut, {
  auth: 'full or takendown',
  limits: [perFiveMinutes(30, 'account')],
  async handler({ input, auth, identity, operation, ...platform }) {
    await startMoveOut({ ...platform, ...identity, ...operation }, auth.account, input, false)
    return moveView(platform.store, moveOfAccount(platform.store, auth.did))
  },
})
