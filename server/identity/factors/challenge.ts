/** Asks callers with the right password for a code of a second factor. */
import type { Platform } from '../../platform/platform.ts'
import type { Account } from '../../store/tables/accounts.ts'
import { withEmail } from '../accounts/email.ts'
import { mailToken } from '../accounts/mail-tokens.ts'
import type { Secrets } from '../did/server-secrets.ts'

interface Deps extends Pick<Platform, 'store' | 'mailer' | 'countMail' | 'origin' | 'now'> {
  readonly secrets: Secrets
}

const codeSent = 'A code has been sent to the email address of the account'
const codeWanted = 'Enter a code of your authenticator app, or one of your recovery codes'

/** The message for an account whose authenticator app had too many wrong codes. */
export const tooManyCodes =
  'Too many wrong codes. Try again in 15 minutes, or use a recovery code. The codes came with the right password.'

/** Mails a code if the account has that factor. @returns the message for `AuthFactorTokenRequired` */
export async function requestFactor(deps: Deps, account: Account): Promise<string> {
  const addressee = account.emailAuthFactor === 1 ? withEmail(account) : undefined
  if (addressee) await mailToken(deps, addressee, 'authFactor')
  return addressee ? codeSent : codeWanted
}
