import { com } from '../../../../../lexicons/generated/index.ts'
import * as accounts from '../../../../store/accounts.ts'
import { iso } from '../../../../time.ts'
import { method } from '../../../method.ts'

export const deactivateAccount = method(com.core.server.deactivateAccount, {
  auth: 'full or takendown',
  async handler({ input, auth, store, now, fail }) {
    const at = now()
    const deleteAfter = input.deleteAfter === undefined ? undefined : new Date(input.deleteAfter)
    if (deleteAfter && deleteAfter <= at) throw fail('InvalidRequest', 'deleteAfter must be in the future')
    await store.transact((tx) =>
      accounts.deactivate(tx, auth.did, iso(at), deleteAfter ? iso(deleteAfter) : null),
    )
  },
})
