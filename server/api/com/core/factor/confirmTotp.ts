import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { factorName } from '../../../../identity/factors/factors.ts'
import { firstRecoveryCodes } from '../../../../identity/factors/recovery-codes.ts'
import { periodOf } from '../../../../identity/factors/totp.ts'
import * as rows from '../../../../identity/tables/second-factors.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const confirmTotp = method(com.core.factor.confirmTotp, {
  auth: 'full',
  limits: [perFiveMinutes(30, 'account')],
  async handler({ input, auth: { did, account }, caller, fail, identity: { secrets }, ...platform }) {
    const { store, now } = platform
    const name = factorName(input.name)
    if (name === undefined) throw fail('InvalidRequest', 'The name must have 1 to 64 characters')
    const recoveryCodes = await store.transact((tx) => {
      const factor = rows.find(tx, did, input.id)
      if (!factor || factor.isConfirmed === 1) throw fail('FactorNotFound', 'Start again')
      const period = periodOf(input.code.replaceAll(/\s/g, ''), factor, now())
      if (period === undefined) {
        throw fail(
          'InvalidToken',
          'The code is wrong. Compare the time of this computer and of the device with the app.',
        )
      }
      rows.confirm(tx, factor.id, name, period)
      return firstRecoveryCodes(tx, secrets, did)
    })
    await reportChange(platform, account, 'factorAdded', caller)
    return { recoveryCodes }
  },
})
