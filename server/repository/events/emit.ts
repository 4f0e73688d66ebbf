/**
 * Adds events to the stream, in the transaction of the change: both are on disk, or neither. Call them after the change: they
 * report the state of the store then.
 *
 * An account that the stream does not report causes no event. One that was created here is reported once the configured directory has
 * its identity: before that, no consumer could verify its events. An imported one is reported from its activation on; only its
 * identity may be reported before that, because the directory has it already.
 *
 * A new account emits `#identity`, `#account` and `#commit`; an activation, and the end of a suspension
 * or take-down, `#account`, `#identity` and `#sync`.
 *
 * `frames.ts` has their messages, `stream.ts` reads them for consumers, whose places are in `consumers.ts`; `event-retention.ts` deletes
 * them, and `relays.ts` asks relays to read them.
 */

import type { Writer } from '../../store/database.ts'
import { type AccountStatus, statusOf } from '../../store/tables/account-status.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { isLive } from '../../store/tables/stream-state.ts'
import * as eventRemovals from '../tables/event-removals.ts'
import * as events from '../tables/events.ts'
import * as repos from '../tables/repos.ts'
import { accountFrame, type CommitEvent, commitFrame, identityFrame, syncFrame } from './frames.ts'

/** Reports that the handle, the signing key or the server of an account has changed. */
export function emitIdentity(tx: Writer, did: string, at: Date): void {
  const { handle, isMinted } = existing(accounts.findByDid(tx, did))
  if (isMinted && !isLive(tx, did)) return
  events.append(tx, { kind: 'identity', did, at }, (seq) => identityFrame({ seq, at }, did, handle))
}

/** Reports the status of an account. */
export function emitAccount(tx: Writer, did: string, at: Date): void {
  if (!isLive(tx, did)) return
  const status = statusOf(existing(accounts.findByDid(tx, did)))
  events.append(tx, { kind: 'account', did, at }, (seq) => accountFrame({ seq, at }, did, status))
}

/** Reports the latest commit of a repository, whatever came before it. */
export function emitSync(tx: Writer, did: string, at: Date): void {
  if (!isLive(tx, did)) return
  const { commit, rev } = existing(repos.findHead(tx, did))
  const bytes = existing(repos.findBlock(tx, did, commit))
  events.append(tx, { kind: 'sync', did, at }, (seq) =>
    syncFrame({ seq, at }, did, rev, { cid: commit, bytes }),
  )
}

/** Reports a commit that the repository has just got. */
export function emitCommit(tx: Writer, event: CommitEvent, at: Date): void {
  if (!isLive(tx, event.did)) return
  events.append(tx, { kind: 'commit', did: event.did, at }, (seq) => commitFrame({ seq, at }, event))
}

/** Removes the events of a deleted account from the stream, and reports the deletion if the account was ever reported. */
export function emitDeletion(tx: Writer, did: string, at: Date, wasAnnounced: boolean): void {
  eventRemovals.add(tx, did)
  // Consumers have never seen the account, and its DID may name another server.
  if (!wasAnnounced) return
  events.append(tx, { kind: 'account', did, at }, (seq) => accountFrame({ seq, at }, did, 'deleted'))
}

/**
 * Reports a change of the status to readers of the stream; nothing if the account had this status before. An account that is active
 * again also reports its identity and its repository: it may have been imported, moved, or first reported while it was inactive.
 */
export function emitStatusChange(tx: Writer, did: string, before: AccountStatus | undefined, at: Date): void {
  const status = statusOf(existing(accounts.findByDid(tx, did)))
  if (status === before) return
  emitAccount(tx, did, at)
  if (status !== undefined) return
  emitIdentity(tx, did, at)
  emitSync(tx, did, at)
}

function existing<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('An event needs an account with a repository')
  return row
}
