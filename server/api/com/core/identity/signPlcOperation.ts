import { com } from '../../../../../lexicons/generated/index.ts'
import { spendToken, tokenRefusals } from '../../../../identity/accounts/mail-tokens.ts'
import { requirePlc, signedUpdate } from '../../../../identity/accounts/plc-operation.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const signPlcOperation = method(com.core.identity.signPlcOperation, {
  auth: 'full or takendown',
  limits: [hourly(50, 'account')],
  async handler({ input, auth: { did, account }, caller, fail, identity: { secrets, plc }, ...platform }) {
    const { store, now } = platform
    requirePlc(account)
    const { token, ...changes } = input
    if (token === undefined) {
      throw fail('InvalidRequest', 'Send the token that requestPlcOperationSignature mails')
    }
    // Before the token is spent: the directory may be down, or the input wrong.
    const operation = signedUpdate(await plc.latest(did), changes, secrets.rotationKey)
    const spent = { did, purpose: 'signPlcOperation', token, now: now() } as const
    const verdict = await store.transact((tx) => spendToken(tx, secrets, spent))
    if (verdict !== 'good') throw fail(verdict, tokenRefusals[verdict])
    await reportChange(platform, account, 'identity', caller)
    return { operation }
  },
})
