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
    const loss = lossIn(operation, account, {
      origins: [origin, plcOrigin],
      rotationKey: secrets.rotationKey.did,
    })
    if (loss) throw fail('InvalidRequest', loss)
    await plc.submit(did, operation)
    await reportChange(platform, account, 'identity', caller)
  },
})
