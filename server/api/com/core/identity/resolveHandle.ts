import { com } from '../../../../../lexicons/generated/index.ts'
import { normalizeHandle } from '../../../../accounts/handle.ts'
import { statusOf } from '../../../../accounts/status.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const resolveHandle = method(com.core.identity.resolveHandle, {
  auth: 'none',
  handler({ params, store, fail }) {
    const account = accounts.findByHandle(store, normalizeHandle(params.handle))
    if (!account || statusOf(account) !== undefined)
      throw fail('HandleNotFound', 'No account of this server has this handle')
    return { did: account.did }
  },
})
