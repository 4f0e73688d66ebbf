import { com } from '../../../../../lexicons/generated/index.ts'
import { issueToken } from '../../../../identity/accounts/mail-tokens.ts'
import * as rows from '../../../../identity/tables/second-factors.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const provePasskey = method(com.core.factor.provePasskey, {
  auth: 'none',
  limits: [perFiveMinutes(100, 'address')],
  async handler({ input, store, identity: { secrets, loadPasskeys }, now, fail }) {
    const { id: credentialId } = input.response
    const passkey = typeof credentialId === 'string' && rows.findByCredential(store, credentialId)
    if (!passkey) throw fail('InvalidPasskey', 'The passkey could not be verified. Try again.')
    const passkeys = await loadPasskeys()
    const counter = await passkeys.prove(passkey, input.response)
    if (counter === undefined) throw fail('InvalidPasskey', 'The passkey could not be verified. Try again.')
    const { id, did } = passkey
    const token = await store.transact((tx) => {
      if (!rows.find(tx, did, id))
        throw fail('InvalidPasskey', 'The passkey could not be verified. Try again.')
      rows.markUsed(tx, id, counter, iso(now()))
      return issueToken(tx, secrets, { did, purpose: 'authFactor', now: now() })
    })
    return { token }
  },
})
