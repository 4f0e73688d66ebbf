import { com } from '../../../../../lexicons/generated/index.ts'
import { maxFactors, tooManyFactors } from '../../../../identity/factors/factors.ts'
import { generateTotpKey } from '../../../../identity/factors/totp.ts'
import * as rows from '../../../../identity/tables/second-factors.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { existingAccount } from '../../../../repository/access/existing.ts'
import { randomId } from '../../../../util/random.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const startTotp = method(com.core.factor.startTotp, {
  auth: 'full',
  limits: [hourly(50, 'account')],
  async handler({ input, auth, caller, store, identity: { requireProof }, origin, now, fail }) {
    // `confirmTotp` needs a code of the secret that only this response has.
    await requireProof(auth, input, caller.network)
    const { did, account } = auth
    const { key, secret, uri } = generateTotpKey(account.handle, new URL(origin).host)
    const id = randomId()
    const createdAt = iso(now())
    await store.transact((tx) => {
      existingAccount(tx, did)
      if (rows.ofAccount(tx, did).length >= maxFactors) throw fail('TooManyFactors', tooManyFactors)
      rows.removeUnconfirmed(tx, did)
      const unused = { name: '', counter: 0, credentialId: null, host: null, isConfirmed: 0 }
      rows.insert(tx, { id, did, kind: 'totp', key, createdAt, ...unused })
    })
    return { id, secret, uri }
  },
})
