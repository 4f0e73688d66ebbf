/** Who may create an account. */
import { requiresInvites } from '../../identity/accounts/sign-up.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Check, ok, warning } from './check.ts'

/** Checks whether everyone can sign up. */
export function checkSignUp(config: Pick<Config, 'inviteRequired' | 'publicUrl' | 'hosts'>): Check {
  return requiresInvites(config)
    ? ok('signUp', 'New accounts need an invite code.')
    : warning('signUp', 'Sign-up is open to everyone who can reach this server.', 'requireInvites')
}
