import { com } from '../../../../../lexicons/generated/index.ts'
import { spendToken, tokenRefusals } from '../../../../identity/accounts/mail-tokens.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const deleteAccount = method(com.core.server.deleteAccount, {
  auth: 'full or takendown',
  limits: [hourly(20, 'account')],
  async handler({
    input,
    auth,
    caller,
    fail,
    identity: { secrets, requirePassword },
    operation: { accountDeletion },
    store,
    now,
  }) {
    const { did, account } = auth
    if (input.did !== did) throw fail('InvalidRequest', 'An account can only delete itself')
    await requirePassword(auth, input.password, caller.network)
    const verdict = await store.transact((tx) => {
      const at = now()
      const result = spendToken(tx, secrets, { did, purpose: 'deleteAccount', token: input.token, now: at })
      if (result === 'good') accountDeletion.hide(tx, did, at)
      return result
    })
    if (verdict !== 'good') throw fail(verdict, tokenRefusals[verdict])
    await accountDeletion.finish(account)
  },
})
