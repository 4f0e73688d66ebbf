/** Mail about a change that could lock the holder out, so that one by another person is noticed. */
import { noticeFor, type SecurityChange } from '../../platform/mail/templates.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Account } from '../../store/tables/accounts.ts'

/**
 * Mails a notice in the background, once the change is on disk.
 * @param account as before the change, so that the notice goes to the previous address
 */
export function mailNotice(
  {
    background,
    mailer,
    countMail,
    log,
    origin,
  }: Pick<Platform, 'background' | 'mailer' | 'countMail' | 'log' | 'origin'>,
  account: Pick<Account, 'did' | 'email' | 'emailConfirmedAt' | 'handle'>,
  change: SecurityChange,
): void {
  const { did, email, handle } = account
  if (email === null) return
  if (countMail('notice', account)) {
    log.warn({ did, change }, 'notice not mailed: too many to this address')
    return
  }
  background.run('security notice mail', () =>
    mailer.send({ to: email, purpose: 'notice', ...noticeFor(change, { handle, server: origin }) }),
  )
}
