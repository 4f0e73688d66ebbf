import { com } from '../../../../../lexicons/generated/index.ts'
import { requirePlc } from '../../../../identity/accounts/plc-operation.ts'
import { maxRotationKeys } from '../../../../identity/did/did-plc.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { isDidKey } from '../../../../platform/util/keys.ts'
import { requireWritable } from '../../../../repository/access/stopped-writes.ts'
import { method } from '../../../method.ts'

export const addRecoveryKey = method(com.core.identity.addRecoveryKey, {
  auth: 'full',
  limits: [hourly(20, 'account')],
  async handler({ input, auth: { did, account }, caller, store, identity, background, fail }) {
    const { secrets, passwords, plc } = identity
    requirePlc(account)
    requireWritable(store, did)
    const key = input.key.trim()
    const serverKey = secrets.rotationKey.did
    if (!isDidKey(key) || key === serverKey) {
      throw fail(
        'InvalidKey',
        'A recovery key is a did:key of P-256 or secp256k1, and not the key of this server',
      )
    }
    if (!(await passwords.verify(input.password, account.passwordHash ?? undefined, caller.source))) {
      throw fail('AuthenticationRequired', 'Wrong password')
    }
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
    background.run('PLC submission', () => plc.publish(did))
  },
})
