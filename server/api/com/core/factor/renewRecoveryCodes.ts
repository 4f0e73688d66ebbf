import { com } from '../../../../../lexicons/generated/index.ts'
import { renewRecoveryCodes as renew } from '../../../../identity/factors/recovery-codes.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import * as rows from '../../../../platform/store/tables/second-factors.ts'
import { method } from '../../../method.ts'

export const renewRecoveryCodes = method(com.core.factor.renewRecoveryCodes, {
  auth: 'full',
  limits: [hourly(20, 'account')],
  async handler({ input, auth: { did, account }, caller, store, identity: { passwords, secrets }, fail }) {
    if (!(await passwords.verify(input.password, account.passwordHash ?? undefined, caller.source))) {
      throw fail('AuthenticationRequired', 'Wrong password')
    }
    const recoveryCodes = await store.transact((tx) => {
      if (!rows.exist(tx, did)) throw fail('FactorNotFound', 'The account has no second factor')
      return renew(tx, secrets, did)
    })
    return { recoveryCodes }
  },
})
