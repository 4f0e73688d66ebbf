import { com } from '../../../../../lexicons/generated/index.ts'
import { normalizeEmail, withEmail } from '../../../../identity/accounts/email.ts'
import { mailToken } from '../../../../identity/accounts/mail-tokens.ts'
import { daily, hourly, perCodeLifetime } from '../../../../platform/config/rate-limits.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

interface Input {
  readonly email: string
}

const addressed = ({ email }: Input) => normalizeEmail(email)
const byRequester = (input: Input, address: string) => `${addressed(input)} ${address}`

export const requestPasswordReset = method(com.core.server.requestPasswordReset, {
  auth: 'none',
  // Anyone may call this for any email: one requester must not use up the codes of the owner. When the limit of all requesters is
  // reached, the codes that they had mailed to the owner are still valid. The address comes first: beyond its limit, no further
  // emails are counted.
  limits: [
    hourly(50, 'address'),
    hourly(5, byRequester),
    daily(15, byRequester),
    perCodeLifetime(10, addressed),
  ],
  handler({ input, identity, ...platform }) {
    // In the background: the response time must not reveal whether the account exists.
    platform.background.run('password reset mail', async () => {
      const account = accounts.findByEmail(platform.store, normalizeEmail(input.email))
      const addressee = account && withEmail(account)
      if (addressee) await mailToken({ ...platform, ...identity }, addressee, 'resetPassword')
    })
  },
})
