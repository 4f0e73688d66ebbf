import { com } from '../../../../../lexicons/generated/index.ts'
import { isProtectedByMail } from '../../../../identity/accounts/email.ts'
import { issueToken } from '../../../../identity/accounts/mail-tokens.ts'
import { requirePlc } from '../../../../identity/accounts/plc-operation.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { protocolError } from '../../../../platform/xrpc/xrpc-errors.ts'
import { existingAccount } from '../../../../repository/access/existing.ts'
import { method } from '../../../method.ts'

const byMail =
  'The account has a confirmed email address. Request the code by email: the password alone is not enough.'

export const createCode = method(com.core.server.createCode, {
  auth: 'full or takendown',
  // Per address: with a limit per account, a stolen session could keep the holder from a new password.
  limits: [hourly(50, 'address')],
  async handler({ input, auth, caller, fail, config, store, now, identity: { secrets, requireProof } }) {
    const { did, account } = auth
    const { purpose } = input
    if (isProtectedByMail(account, config)) throw fail('MailedCodeRequired', byMail)
    if (purpose === 'signPlcOperation') requirePlc(account)
    await requireProof(auth, input, caller.network)
    const token = await store.transact((tx) => {
      const current = existingAccount(tx, did)
      // The account may have changed since the password was checked.
      if (isProtectedByMail(current, config)) throw fail('MailedCodeRequired', byMail)
      if (current.passwordHash !== account.passwordHash)
        throw protocolError('AuthenticationRequired', 'Wrong password')
      return issueToken(tx, secrets, { did, purpose, now: now() })
    })
    return { token }
  },
})
