import { com } from '../../../../../lexicons/generated/index.ts'
import { requirePlc } from '../../../../identity/accounts/plc-operation.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { maxRotationKeys } from '../../../../identity/did/did-plc.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { requireWriter } from '../../../../repository/access/writer.ts'
import { isDidKey } from '../../../../util/keys.ts'
import { method } from '../../../method.ts'

export const addRecoveryKey = method(com.core.identity.addRecoveryKey, {
  auth: 'full',
  limits: [hourly(20, 'account')],
  async handler({ input, auth, caller, fail, identity, ...platform }) {
    const { store, background } = platform
    const { secrets, requireProof, plc } = identity
    const { did, account } = auth
    requirePlc(account)
    requireWriter(store, did)
    const key = input.key.trim()
    const serverKey = secrets.rotationKey.did
    if (!isDidKey(key) || key === serverKey) {
      throw fail(
        'InvalidKey',
        'A recovery key is a did:key of P-256 or secp256k1, and not the key of this server',
      )
    }
    await requireProof(auth, input, caller.network)
    await plc.change(did, {
      rotationKeys(keys) {
        const others = keys.filter((one) => one !== key)
        if (others.length === maxRotationKeys) {
          throw fail(
            'TooManyKeys',
            `An identity can have up to ${maxRotationKeys} rotation keys. Remove one first.`,
          )
        }
        // Below the recovery keys that the owner has already.
        return others.toSpliced(others.indexOf(serverKey), 0, key)
      },
    })
    await reportChange(platform, account, 'recoveryKeys', caller)
    background.run('PLC submission', () => plc.publish(did))
  },
})
