import { com } from '../../../../../lexicons/generated/index.ts'
import { refuseFirstAccount } from '../../../../identity/accounts/sign-up.ts'
import { startMoveIn } from '../../../../operation/moving/start-in.ts'
import { daily, perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

const triedName = (input: { identifier: string }, address: string) => `${input.identifier} ${address}`

export const moveIn = method(com.core.move.moveIn, {
  auth: 'import',
  limits: [perFiveMinutes(100, 'address'), perFiveMinutes(30, triedName), daily(300, triedName)],
  async handler({ input, auth, caller, fail, identity, operation, ...platform }) {
    if (caller.isForeignPage) throw fail('Forbidden', 'Pages of other sites cannot move accounts here')
    refuseFirstAccount(platform.store, caller, auth.isAdmin)
    return startMoveIn({ ...platform, ...identity, ...operation }, input, { caller, isAdmin: auth.isAdmin })
  },
})
