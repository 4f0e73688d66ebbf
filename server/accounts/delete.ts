/**
 * Deleting an account: afterwards no row mentions it, but for the fact that it used an invite code, and the outbox holds no
 * message for it.
 */

import type { Background } from '../jobs/background.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Writer } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import * as activitySubscriptions from '../store/tables/activity-subscriptions.ts'
import * as follows from '../store/tables/follows.ts'
import * as inviteCodes from '../store/tables/invite-codes.ts'
import * as pushRegistrations from '../store/tables/push-registrations.ts'

interface Deps {
  readonly mailer: Mailer
  readonly background: Background
  readonly now: () => Date
}

export function deleteAccount(tx: Writer, did: string): void {
  inviteCodes.removeOfAccount(tx, did)
  activitySubscriptions.removeOfSubject(tx, did)
  follows.removeOfSubject(tx, did)
  pushRegistrations.removeOfService(tx, did)
  accounts.remove(tx, did)
}

/** What is kept outside the store, once the rows are gone. */
export function forgetMail(
  { background, mailer, now }: Deps,
  { email }: { readonly email: string | null },
): void {
  if (email === null) return
  const at = now()
  background.run('removing mail', () => mailer.forget(email, at))
}
