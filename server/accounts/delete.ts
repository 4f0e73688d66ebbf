/** Deletes an account. Only the use of its invite code stays. */

import type { Blobs } from '../blobs/blobs.ts'
import { emitDeletion } from '../events/emit.ts'
import type { Background } from '../jobs/background.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Writer } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import * as activitySubscriptions from '../store/tables/activity-subscriptions.ts'
import * as blocks from '../store/tables/blocks.ts'
import { refreshBetween } from '../store/tables/hidden.ts'
import * as inviteCodes from '../store/tables/invite-codes.ts'
import * as pushRegistrations from '../store/tables/push-registrations.ts'
import * as remoteStatuses from '../store/tables/remote-statuses.ts'
import * as repos from '../store/tables/repos.ts'
import { streamStates } from '../store/tables/stream-state.ts'

interface Deps {
  readonly mailer: Mailer
  readonly blobs: Blobs
  readonly background: Background
  readonly now: () => Date
}

/** Deletes the rows of an account. Call `deleteFiles` after the commit. */
export function deleteAccount(tx: Writer, did: string, at: Date): void {
  inviteCodes.removeOfAccount(tx, did)
  activitySubscriptions.removeOfSubject(tx, did)
  pushRegistrations.removeOfService(tx, did)
  const lists = blocks.listsOf(tx, did).map((list) => ({
    users: blocks.usersOf(tx, list),
    members: blocks.membersOf(tx, list),
  }))
  const rev = repos.findHead(tx, did)?.rev
  const wasAnnounced = accounts.findByDid(tx, did)?.streamState !== streamStates.unannounced
  accounts.remove(tx, did)
  if (rev !== undefined) remoteStatuses.setLastRev(tx, did, rev)
  // Its lists no longer block or mute their members for others.
  for (const { users, members } of lists) refreshBetween(tx, users, members)
  // The readers of the event stream never knew it, and its DID may name another server.
  if (wasAnnounced) emitDeletion(tx, did, at)
}

/** Deletes the blobs of a deleted account, and its messages from the outbox, in the background. */
export function deleteFiles(
  { background, mailer, blobs, now }: Deps,
  { email }: { readonly email: string | null },
): void {
  background.run('deletion of blobs', () => blobs.sweep())
  if (email === null) return
  const at = now()
  background.run('deletion of outbox messages', () => mailer.deleteMessages(email, at))
}
