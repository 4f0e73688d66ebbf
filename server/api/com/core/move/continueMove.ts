import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../config/rate-limits.ts'
import { moveOfAccount, continueMove as proceed } from '../../../../moving/control.ts'
import { moveView } from '../../../../moving/view.ts'
import { method } from '../../../method.ts'

export const continueMove = method(com.core.move.continueMove, {
  auth: 'full',
  limits: [perFiveMinutes(10, 'account')],
  async handler({ input, auth, ...services }) {
    await proceed(services, auth.did, input)
    return moveView(services.store, moveOfAccount(services.store, auth.did))
  },
})
