import { com } from '../../../../../lexicons/generated/index.ts'
import { changeHandle } from '../../../../identity/accounts/change-handle.ts'
import { normalizeHandle } from '../../../../identity/accounts/handle.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { daily, perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const updateHandle = method(com.core.identity.updateHandle, {
  auth: 'full',
  limits: [perFiveMinutes(10, 'account'), daily(50, 'account')],
  async handler({ input, auth: { account }, caller, identity, ...platform }) {
    const handle = normalizeHandle(input.handle)
    await changeHandle({ ...platform, ...identity }, account, handle)
    if (handle !== account.handle) await reportChange(platform, { ...account, handle }, 'handle', caller)
  },
})
