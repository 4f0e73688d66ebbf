import { com } from '../../../../../lexicons/generated/index.ts'
import { normalizeHandle } from '../../../../identity/accounts/handle.ts'
import * as accounts from '../../../../platform/store/tables/accounts.ts'
import * as graph from '../../../../platform/store/tables/graph.ts'
import { requesterOf } from '../../../../platform/util/requester.ts'
import { statusOf } from '../../../../repository/access/status.ts'
import { method } from '../../../method.ts'

export const resolveHandle = method(com.core.identity.resolveHandle, {
  auth: 'reader',
  async handler({ params, auth, caller, store, identity, federation, fail }) {
    const handle = normalizeHandle(params.handle)
    const account = accounts.findByHandle(store, handle)
    if (account && statusOf(account) !== undefined)
      throw fail('HandleNotFound', 'The account with this handle is not active')
    // Other servers ask without credentials: otherwise two that read each other would ask in a circle.
    const requester = requesterOf(caller.source, auth?.did)
    const resolveElsewhere = () =>
      auth ? federation.findHandle(handle, requester) : identity.resolveHandle?.(handle, { requester })
    const did = graph.actorOfHandle(store, handle)?.did ?? (await resolveElsewhere())
    if (did === undefined) throw fail('HandleNotFound', 'No account was found for this handle')
    return { did }
  },
})
