import { com } from '../../../../../lexicons/generated/index.ts'
import { keepAccount, prepareActivation } from '../../../../identity/accounts/activate.ts'
import { existingAccount } from '../../../../repository/access/existing.ts'
import { takendownError } from '../../../../repository/access/status-errors.ts'
import { emitStatusChange } from '../../../../repository/events/emit.ts'
import { statusOf } from '../../../../store/tables/account-status.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const activateAccount = method(com.core.server.activateAccount, {
  auth: 'full or takendown',
  async handler({ auth, fail, identity, ...platform }) {
    await keepAccount(platform, auth.account)
    const status = statusOf(auth.account)
    if (status === 'takendown') throw takendownError()
    if (status === 'suspended')
      throw fail(
        'AccountSuspended',
        'This account is suspended. Only an administrator can lift the suspension.',
      )
    await prepareActivation({ ...platform, ...identity }, auth.account)
    await platform.store.transact((tx) => {
      const before = existingAccount(tx, auth.did)
      accounts.activate(tx, auth.did)
      emitStatusChange(tx, auth.did, statusOf(before), platform.now())
    })
  },
})
