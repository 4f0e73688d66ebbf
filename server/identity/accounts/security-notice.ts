/** Mail about a change that could lock the holder out, so that one by another person is noticed. */
import { noticeFor, type SecurityChange } from '../../platform/mail/templates.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Account } from '../../platform/store/tables/accounts.ts'

/**
 * Mails a notice in the background, once the change is on disk.
 * @param account as before the change, so that the notice goes to the previous address
 */
export function mailNotice(
  { background, mailer, origin }: Pick<Platform, 'background' | 'mailer' | 'origin'>,
  { email, handle }: Pick<Account, 'email' | 'handle'>,
  change: SecurityChange,
): void {
  if (email === null) return
  background.run('security notice mail', () =>
    mailer.send({ to: email, purpose: 'notice', ...noticeFor(change, { handle, server: origin }) }),
  )
}
