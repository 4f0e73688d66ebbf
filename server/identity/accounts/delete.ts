/**
 * Deletes accounts. Only the use of its invite code stays.
 *
 * One transaction hides the account for good, ends its sessions and emits the event. Then its rows are deleted a few milliseconds at
 * a time, so that other requests are answered in between. After a crash the next start goes on.
 */

import * as blocks from '../../app/tables/blocks.ts'
import { refreshBetween } from '../../app/tables/hidden.ts'
import * as pushRegistrations from '../../app/tables/push-registrations.ts'
import * as remoteStatuses from '../../federation/tables/remote-statuses.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Blobs } from '../../repository/blobs/blobs.ts'
import { emitDeletion } from '../../repository/events/emit.ts'
import * as repos from '../../repository/tables/repos.ts'
import type { Database, Writer } from '../../store/database.ts'
import { inSlices } from '../../store/slices.ts'
import * as deletions from '../../store/tables/account-deletions.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { streamStates } from '../../store/tables/stream-state.ts'
import { iso } from '../../util/time.ts'
import * as inviteCodes from '../tables/invite-codes.ts'

interface Deps extends Pick<Platform, 'store' | 'mailer' | 'background' | 'log' | 'now' | 'signal'> {
  readonly blobs: Blobs
}

/** Hides an account for good, and frees its handle and email address. Call `finishDeletion` after the commit. */
export function deleteAccount(tx: Writer, did: string, at: Date): void {
  const wasAnnounced = accounts.findByDid(tx, did)?.streamState !== streamStates.unannounced
  inviteCodes.removeOfAccount(tx, did)
  pushRegistrations.removeOfService(tx, did)
  deletions.begin(tx, did, iso(at))
  emitDeletion(tx, did, at, wasAnnounced)
}

/**
 * Deletes the rows of a hidden account, and in the background its blobs and its messages from the outbox. Resolves when the rows are
 * deleted, or when the server closes. Failures are logged.
 */
export async function finishDeletion(
  deps: Deps,
  { email }: { readonly email: string | null },
): Promise<void> {
  const { background, mailer, blobs, now } = deps
  if (email !== null) {
    const at = now()
    background.run('deletion of outbox messages', () => mailer.deleteMessages(email, at))
  }
  await finishDeletions(deps)
  background.run('deletion of blobs', () => blobs.sweep())
}

/** Deletes the rows of all hidden accounts. Can be repeated after a crash at any point. Two calls at once do no harm. */
export async function finishDeletions({ store, log, signal }: Deps): Promise<void> {
  for (const deletion of deletions.pending(store)) {
    await removeRows(store, deletion, signal).catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error, did: deletion.did }, 'deletion of an account failed')
    })
  }
}

async function removeRows(store: Database, deletion: deletions.Deletion, signal: AbortSignal): Promise<void> {
  const { id, did } = deletion
  const check = () => signal.throwIfAborted()
  await endLists(store, deletion, check)
  await inSlices(store, (tx) => deletions.removeSome(tx, id), check)
  await store.transact((tx) => {
    const rev = repos.findHead(tx, did)?.rev
    // Otherwise another call was faster, and the DID may have an account again.
    if (!deletions.isPending(tx, did)) return
    deletions.end(tx, id)
    if (rev !== undefined) remoteStatuses.setLastRev(tx, did, rev)
  })
}

/** Members of a list whose notifications are updated at once. */
const fewMembers = 20

/** Its lists no longer block or mute their members for others. */
async function endLists(store: Database, { id, did }: deletions.Deletion, check: () => void): Promise<void> {
  for (const list of blocks.listsOf(store, did)) {
    const users = blocks.usersOf(store, list)
    const members = blocks.membersOf(store, list)
    await store.transact((tx) => deletions.removeLists(tx, id, list.rkey))
    let next = 0
    await inSlices(
      store,
      (tx) => {
        refreshBetween(tx, users, members.slice(next, next + fewMembers))
        next += fewMembers
        return users.length > 0 && next < members.length
      },
      check,
    )
  }
}
