import { com } from '../../../../../lexicons/generated/index.ts'
import { daily, perFiveMinutes } from '../../../../config/rate-limits.ts'
import { startMoveIn } from '../../../../moving/start-in.ts'
import { method } from '../../../method.ts'

const triedName = (input: { identifier: string }, address: string) => `${input.identifier} ${address}`

export const moveIn = method(com.core.move.moveIn, {
  auth: 'none',
  limits: [perFiveMinutes(100, 'address'), perFiveMinutes(30, triedName), daily(300, triedName)],
  async handler({ input, caller, fail, ...services }) {
    if (caller.isForeignPage) throw fail('Forbidden', 'Pages of other sites cannot move accounts here')
    return startMoveIn(services, input, caller)
  },
})
