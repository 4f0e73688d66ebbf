/**
 * Deletes accounts. Only the use of its invite code stays.
 *
 * One transaction hides the account for good, ends its sessions and emits the event. Then its rows are deleted a few milliseconds at
 * a time, so that other requests are answered in between. After a crash the next start goes on.
 */

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

/** What a wing does when an account is deleted. Each part can be repeated after a crash. */
export interface DeletionListener {
  /** Called in the transaction that hides the account. */
  readonly hidden?: (tx: Writer, did: string) => void
  /** Called before its rows are deleted, for work in transactions of its own. @param check throws when the server closes */
  readonly beforeRows?: (store: Database, deletion: deletions.Deletion, check: () => void) => Promise<void>
  /** Called in the transaction that deletes its last row. @param rev of its repository; undefined if it had none */
  readonly removed?: (tx: Writer, did: string, rev: string | undefined) => void
}

export interface AccountDeletion {
  /** Hides an account for good, and frees its handle and email address. Call `finish` after the commit. */
  hide(tx: Writer, did: string, at: Date): void
  /**
   * Deletes the rows of a hidden account, and in the background its blobs and its messages from the outbox. Resolves when the rows are
   * deleted, or when the server closes. Failures are logged.
   */
  finish(account: { readonly email: string | null }): Promise<void>
  /** Deletes the rows of all hidden accounts. Can be repeated after a crash at any point. Two calls at once do no harm. */
  finishAll(): Promise<void>
}

interface Deps extends Pick<Platform, 'store' | 'mailer' | 'background' | 'log' | 'now' | 'signal'> {
  readonly blobs: Pick<Blobs, 'sweep'>
  /** In the order in which they are called. */
  readonly listeners: readonly DeletionListener[]
}

export function createAccountDeletion(deps: Deps): AccountDeletion {
  const { store, mailer, background, blobs, log, now, signal, listeners } = deps

  async function finishAll(): Promise<void> {
    for (const deletion of deletions.pending(store)) {
      await removeRows(deletion).catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error, did: deletion.did }, 'deletion of an account failed')
      })
    }
  }

  async function removeRows(deletion: deletions.Deletion): Promise<void> {
    const { id, did } = deletion
    const check = () => signal.throwIfAborted()
    for (const { beforeRows } of listeners) await beforeRows?.(store, deletion, check)
    await inSlices(store, (tx) => deletions.removeSome(tx, id), check)
    await store.transact((tx) => {
      const rev = repos.findHead(tx, did)?.rev
      // Otherwise another call was faster, and the DID may have an account again.
      if (!deletions.isPending(tx, did)) return
      deletions.end(tx, id)
      for (const { removed } of listeners) removed?.(tx, did, rev)
    })
  }

  return {
    hide(tx, did, at) {
      const wasAnnounced = accounts.findByDid(tx, did)?.streamState !== streamStates.unannounced
      inviteCodes.removeOfAccount(tx, did)
      for (const { hidden } of listeners) hidden?.(tx, did)
      deletions.begin(tx, did, iso(at))
      emitDeletion(tx, did, at, wasAnnounced)
    },
    async finish({ email }) {
      if (email !== null) {
        const at = now()
        background.run('deletion of outbox messages', () => mailer.deleteMessages(email, at))
      }
      await finishAll()
      background.run('deletion of blobs', () => blobs.sweep())
    },
    finishAll,
  }
}
