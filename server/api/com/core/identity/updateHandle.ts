import { com } from '../../../../../lexicons/generated/index.ts'
import { changeHandle } from '../../../../identity/accounts/change-handle.ts'
import { normalizeHandle } from '../../../../identity/accounts/handle.ts'
import { daily, perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const updateHandle = method(com.core.identity.updateHandle, {
  auth: 'full',
  limits: [perFiveMinutes(10, 'account'), daily(50, 'account')],
  handler: ({ input, auth, identity, ...platform }) =>
    changeHandle({ ...platform, ...identity }, auth.account, normalizeHandle(input.handle)),
})
