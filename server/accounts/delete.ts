/** Deletes an account. Only the use of its invite code stays. */

import type { Background } from '../jobs/background.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Writer } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import * as activitySubscriptions from '../store/tables/activity-subscriptions.ts'
import * as inviteCodes from '../store/tables/invite-codes.ts'
import * as pushRegistrations from '../store/tables/push-registrations.ts'

interface Deps {
  readonly mailer: Mailer
  readonly background: Background
  readonly now: () => Date
}

/** Deletes the rows of an account. Call `deleteMail` after the commit. */
export function deleteAccount(tx: Writer, did: string): void {
  inviteCodes.removeOfAccount(tx, did)
  activitySubscriptions.removeOfSubject(tx, did)
  pushRegistrations.removeOfService(tx, did)
  accounts.remove(tx, did)
}

/** Deletes the messages of a deleted account from the outbox, in the background. */
export function deleteMail(
  { background, mailer, now }: Deps,
  { email }: { readonly email: string | null },
): void {
  if (email === null) return
  const at = now()
  background.run('deletion of outbox messages', () => mailer.deleteMessages(email, at))
}
