import { com } from '../../../../../lexicons/generated/index.ts'
import { normalizeHandle } from '../../../../accounts/handle.ts'
import { statusOf } from '../../../../accounts/status.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const resolveHandle = method(com.core.identity.resolveHandle, {
  auth: 'none',
  async handler({ params, store, resolveHandle: resolveElsewhere, fail }) {
    const handle = normalizeHandle(params.handle)
    const account = accounts.findByHandle(store, handle)
    if (account && statusOf(account) !== undefined)
      throw fail('HandleNotFound', 'The account with this handle is not active')
    const did = account?.did ?? (await resolveElsewhere?.(handle))
    if (did === undefined) throw fail('HandleNotFound', 'No account was found for this handle')
    return { did }
  },
})
