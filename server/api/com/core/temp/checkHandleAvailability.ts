import { com } from '../../../../../lexicons/generated/index.ts'
import { freeHandles, isFreeHandle, normalizeHandle } from '../../../../identity/accounts/handle.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

const { resultAvailable, resultUnavailable } = com.core.temp.checkHandleAvailability

export const checkHandleAvailability = method(com.core.temp.checkHandleAvailability, {
  auth: 'none',
  limits: [perFiveMinutes(300, 'address')],
  handler({ params, store, config }) {
    const handle = normalizeHandle(params.handle)
    if (isFreeHandle(store, handle, config)) return { handle, result: resultAvailable.$build({}) }
    const suggestions = freeHandles(store, handle, config).map((free) => ({
      handle: free,
      method: 'number',
    }))
    return { handle, result: resultUnavailable.$build({ suggestions }) }
  },
})
