import { com } from '../../../../../lexicons/generated/index.ts'
import { normalizeHandle } from '../../../../identity/accounts/handle.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const checkDomain = method(com.core.server.checkDomain, {
  auth: 'none',
  handler({ params, origin, store, fail }) {
    const domain = normalizeHandle(params.domain)
    if (domain !== new URL(origin).hostname && !accounts.findByHandle(store, domain)) {
      throw fail('DomainNotFound', 'Neither this server nor an account here has that name')
    }
    return { domain }
  },
})
