/** Reports of a change that could lock the holder out, so that one by another person is noticed: a list, and mail. */
import { noticeFor, type SecurityChange } from '../../platform/mail/templates.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Account } from '../../store/tables/accounts.ts'
import { iso } from '../../util/time.ts'
import * as changes from '../tables/security-changes.ts'

type Deps = Pick<Platform, 'store' | 'now' | 'background' | 'mailer' | 'countMail' | 'log' | 'origin'>

/** @property client User-Agent; undefined for the app window */
interface Author {
  readonly client: string | undefined
  readonly isAdmin?: boolean
}

/**
 * Lists a change for its account, which may have no email address, and mails a notice in the background. Call it once the change
 * is on disk: a report that fails is logged.
 * @param account as before the change, so that the notice goes to the previous address
 */
export async function reportChange(
  deps: Deps,
  account: Pick<Account, 'did' | 'email' | 'emailConfirmedAt' | 'handle'>,
  change: SecurityChange,
  { client, isAdmin = false }: Author,
): Promise<void> {
  const { store, now, log } = deps
  const row = { change, client: client ?? null, isAdmin: isAdmin ? 1 : 0, changedAt: iso(now()) } as const
  await store
    .transact((tx) => changes.add(tx, account.did, row))
    .catch((err: unknown) => log.error({ err, did: account.did, change }, 'security change not listed'))
  mailNotice(deps, account, change)
}

function mailNotice(
  { background, mailer, countMail, log, origin }: Omit<Deps, 'store' | 'now'>,
  account: Parameters<typeof reportChange>[1],
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
