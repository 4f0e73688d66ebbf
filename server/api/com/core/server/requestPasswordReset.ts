import { com } from '../../../../../lexicons/generated/index.ts'
import { normalizeEmail, withEmail } from '../../../../accounts/email.ts'
import { mailToken } from '../../../../accounts/mail-tokens.ts'
import { daily, hourly } from '../../../../config/rate-limits.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

const addressed = (input: { email: string }) => normalizeEmail(input.email)

export const requestPasswordReset = method(com.core.server.requestPasswordReset, {
  auth: 'none',
  // The address comes first: beyond its limit, no further emails are counted, which bounds the memory.
  limits: [hourly(50, 'address'), hourly(5, addressed), daily(15, addressed)],
  handler({ input, background, ...services }) {
    // In the background: the response time must not reveal whether the account exists.
    background.run('password reset mail', async () => {
      const account = accounts.findByEmail(services.store, normalizeEmail(input.email))
      const addressee = account && withEmail(account)
      if (addressee) await mailToken(services, addressee, 'resetPassword')
    })
  },
})
