import { com } from '../../../../../lexicons/generated/index.ts'
import { requireOther } from '../../../../identity/callers/own-account.ts'
import { continueMove, moveOfAccount } from '../../../../operation/moving/control.ts'
import { moveView } from '../../../../operation/moving/moves-view.ts'
import { startMoveOut } from '../../../../operation/moving/start-out.ts'
import * as rows from '../../../../repository/tables/moves.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const moveAccount = method(com.core.admin.moveAccount, {
  auth: 'admin',
  async handler({ input, auth, fail, identity, operation, ...platform }) {
    // No code is mailed: a stolen session of the owner would take the identity.
    requireOther(auth.did, input.did)
    const { store } = platform
    const account = accounts.findByDid(store, input.did)
    if (!account) throw fail('AccountNotFound')
    const move = rows.find(store, input.did)
    const isUnderWay = move?.direction === 'out' && move.endedAt === null
    const { password, withoutMissingMedia } = input
    if (isUnderWay) await continueMove({ store, ...operation }, input.did, { password, withoutMissingMedia })
    else await startMoveOut({ ...platform, ...identity, ...operation }, account, input, true)
    return moveView(store, moveOfAccount(store, input.did))
  },
})
