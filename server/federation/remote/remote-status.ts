/** The status of actors of other servers. Records of inactive ones are kept and hidden, and create no notifications. */
import type { DidString } from '@atproto/syntax'
import type { TrustedClock } from '../../platform/clock/trusted-clock.ts'
import type { Platform } from '../../platform/platform.ts'
import type { NextTid } from '../../repository/format/tid.ts'
import type { Writer } from '../../store/database.ts'
import { inSlices } from '../../store/slices.ts'
import { hostedAmong } from '../../store/tables/accounts.ts'
import * as actors from '../../store/tables/actors.ts'
import { findLog } from '../tables/remote-actors.ts'
import * as remoteRecords from '../tables/remote-records.ts'
import * as repositories from '../tables/remote-repositories.ts'
import * as statuses from '../tables/remote-statuses.ts'
import * as repositoryQueue from '../tables/repository-queue.ts'
import type { RemoteChange } from './change.ts'

export type { RemoteStatus } from '../tables/remote-statuses.ts'

/** Records that are deleted by one statement. */
const batch = 20
const known: readonly unknown[] = ['deactivated', 'suspended', 'takendown', 'deleted']

/** Returns the reason why an account is inactive, as a server states it; other servers may have reasons of their own. */
export function remoteStatusOf(reason: unknown): statuses.RemoteStatus {
  return known.includes(reason) ? (reason as statuses.RemoteStatus) : 'deactivated'
}

type Clock = Pick<TrustedClock, 'now' | 'earliest'>

interface Deps extends Pick<Platform, 'store'> {
  readonly clock: Clock
  readonly nextTid: NextTid
}

/**
 * Sets the status of an actor, unless it has an account here.
 * @param status undefined: active; deleted: its records are deleted
 * @param last called in the last transaction
 */
export async function setStatus(
  { store, clock, nextTid }: Deps,
  did: string,
  status: statuses.RemoteStatus | undefined,
  last: (tx: Writer) => void = () => {},
): Promise<void> {
  // No host can be sure that decides on an identity that only its operations prove: its key does.
  const isSelfProven = findLog(store, did) !== undefined
  const rev = status && isSelfProven ? nextTid(remoteRecords.latestRev(store, did)) : undefined
  if (status === 'deleted') {
    await inSlices(store, (tx) => removeSome(tx, did))
  }
  await store.transact((tx) => {
    if (status) statuses.set(tx, did, status, rev)
    else activate(tx, did, clock)
    if (status === 'deleted') repositories.remove(tx, did)
    last(tx)
  })
}

/** Older records of an actor that is active again create no notifications. */
const notifyMs = 3 * 24 * 60 * 60_000

/** Makes an actor active. The records of one that counted as deleted are read again. */
function activate(tx: Writer, did: string, clock: Clock): void {
  const wasDeleted = statuses.find(tx, did)?.status === 'deleted'
  statuses.set(tx, did, undefined)
  if (!wasDeleted) return
  const queued = { did: did as DidString, upstream: null, changedSince: null }
  const notifySince = clock.earliest().getTime() - notifyMs
  repositoryQueue.add(tx, { ...queued, notifySince, dueAt: clock.now().getTime() })
}

/** Deletes some of the records of an actor, unless it has an account here by now. Returns whether there may be more. */
function removeSome(tx: Writer, did: string): boolean {
  const actor = hostedAmong(tx, [did]).size > 0 ? undefined : actors.idOf(tx, did)
  return actor !== undefined && remoteRecords.removeSome(tx, actor, batch).records > 0
}

/**
 * Whether a change of an actor counts. Two kinds of actors become active by a later commit: one whose account here was deleted, which
 * lives elsewhere then, and one whose identity only its operations prove, because its key outweighs statements of servers.
 */
export function isAlive(tx: Writer, { did, rev }: Pick<RemoteChange, 'did' | 'rev'>, clock: Clock): boolean {
  const actor = statuses.find(tx, did)
  if (!actor || actor.inactive === 0) return true
  const isLater = actor.rev === null ? actor.status === null : rev > actor.rev
  if (isLater) activate(tx, did, clock)
  return isLater || (actor.status !== null && actor.status !== 'deleted')
}
