import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { factorName, maxFactors, tooManyFactors } from '../../../../identity/factors/factors.ts'
import { firstRecoveryCodes } from '../../../../identity/factors/recovery-codes.ts'
import * as rows from '../../../../identity/tables/second-factors.ts'
import { existingAccount } from '../../../../repository/access/existing.ts'
import { randomId } from '../../../../util/random.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const addPasskey = method(com.core.factor.addPasskey, {
  auth: 'full',
  async handler({ input, auth, caller, fail, identity: { secrets, loadPasskeys }, ...platform }) {
    const { store, now } = platform
    const { did, account } = auth
    const name = factorName(input.name)
    if (name === undefined) throw fail('InvalidRequest', 'The name must have 1 to 64 characters')
    const passkeys = await loadPasskeys()
    const passkey = await passkeys.add(did, input.response)
    const createdAt = iso(now())
    const recoveryCodes = await store.transact((tx) => {
      existingAccount(tx, did)
      if (!passkey || rows.findByCredential(tx, passkey.credentialId))
        throw fail('InvalidPasskey', 'The passkey could not be verified. Try again.')
      if (rows.ofAccount(tx, did).length >= maxFactors) throw fail('TooManyFactors', tooManyFactors)
      rows.insert(tx, { ...passkey, id: randomId(), did, kind: 'passkey', name, createdAt, isConfirmed: 1 })
      return firstRecoveryCodes(tx, secrets, did)
    })
    await reportChange(platform, account, 'factorAdded', caller)
    return { recoveryCodes }
  },
})
