import { com } from '../../../../../lexicons/generated/index.ts'
import { lossIn, parseOwn, requirePlc } from '../../../../identity/accounts/plc-operation.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const submitPlcOperation = method(com.core.identity.submitPlcOperation, {
  auth: 'full',
  limits: [hourly(50, 'account')],
  async handler({ input, auth: { did, account }, caller, fail, identity: { secrets, plc }, ...platform }) {
    requirePlc(account)
    const operation = parseOwn(input.operation)
    const { origin, plcOrigin } = platform
    const { rotationKeys } = await plc.current(account)
    const key = secrets.rotationKey.did
    const loss = lossIn(operation, account, {
      origins: [origin, plcOrigin],
      rotationKey: rotationKeys.includes(key) ? key : undefined,
    })
    if (loss) throw fail('InvalidRequest', loss)
    await plc.submit(did, operation)
    await reportChange(platform, account, 'identity', caller)
  },
})
