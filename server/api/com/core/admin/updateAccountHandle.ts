import { com } from '../../../../../lexicons/generated/index.ts'
import { changeHandle } from '../../../../identity/accounts/change-handle.ts'
import { normalizeHandle } from '../../../../identity/accounts/handle.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const updateAccountHandle = method(com.core.admin.updateAccountHandle, {
  auth: 'admin',
  async handler({ input, caller, fail, identity, ...platform }) {
    const account = accounts.findByDid(platform.store, input.did)
    if (!account) throw fail('NotFound', 'Account not found')
    const handle = normalizeHandle(input.handle)
    await changeHandle({ ...platform, ...identity }, account, handle)
    if (handle === account.handle) return
    await reportChange(platform, { ...account, handle }, 'handle', { client: caller.client, isAdmin: true })
  },
})
