import { com } from '../../../../../lexicons/generated/index.ts'
import { requirePlc } from '../../../../identity/accounts/plc-operation.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { requireWriter } from '../../../../repository/access/writer.ts'
import { method } from '../../../method.ts'

export const removeRecoveryKey = method(com.core.identity.removeRecoveryKey, {
  auth: 'full',
  limits: [hourly(20, 'account')],
  async handler({ input, auth, caller, fail, identity, ...platform }) {
    const { store, background } = platform
    const { secrets, requireProof, plc } = identity
    const { did, account } = auth
    requirePlc(account)
    requireWriter(store, did)
    const { key } = input
    if (key === secrets.rotationKey.did) {
      throw fail('InvalidKey', 'The key of this server stays while the account is here')
    }
    await requireProof(auth, input, caller.network)
    await plc.change(did, {
      rotationKeys(keys) {
        const rest = keys.filter((one) => one !== key)
        if (rest.length === keys.length)
          throw fail('KeyNotFound', 'The identity does not have this rotation key')
        return rest
      },
    })
    await reportChange(platform, account, 'recoveryKeys', caller)
    background.run('PLC submission', () => plc.publish(did))
  },
})
