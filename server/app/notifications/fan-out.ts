/**
 * Notifies the subscribers of an author of a new post. The first batch is part of the transaction that writes the post; the
 * rest follow in the background, one transaction a batch. The last recipient is stored, so that a restarted server resumes there.
 */

import type { Platform } from '../../platform/platform.ts'
import type { Writer } from '../../store/database.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import * as activitySubscriptions from '../tables/activity-subscriptions.ts'
import * as fanOuts from '../tables/fan-outs.ts'
import * as notifications from '../tables/notifications.ts'
import { arrivalTime, trackArrivals } from './arrival.ts'
import type { NotificationEvents } from './arrivals.ts'

interface Deps extends Pick<Platform, 'store' | 'now'> {
  readonly notifications: NotificationEvents
}

/** Subscribers per transaction. One batch blocks the event loop for about 3 ms. */
const batchSize = 500

/** Notifies the first batch of subscribers. @returns whether subscribers remain, for `finishFanOuts` */
export function beginFanOut(
  tx: Writer,
  post: notifications.Source & { readonly isReply: boolean },
  at: DatetimeString,
): boolean {
  const fanOut = { ...post, isReply: post.isReply ? 1 : 0, lastRecipient: 0 }
  const next = notifyBatch(tx, fanOut, at)
  if (next) fanOuts.put(tx, next)
  return next !== undefined
}

/** Completes every stored fan-out. Runs at the start, and after a post with more subscribers than one batch. */
export async function finishFanOuts({ store, notifications: events, now }: Deps): Promise<void> {
  while (fanOuts.first(store)) {
    const publish = await store.transact((tx) => trackArrivals(tx, events, () => resume(tx, iso(now()))))
    publish?.()
  }
}

function resume(tx: Writer, at: DatetimeString): void {
  const fanOut = fanOuts.first(tx)
  if (!fanOut) return
  const next = notifyBatch(tx, fanOut, at)
  if (next) fanOuts.put(tx, next)
  else fanOuts.remove(tx, fanOut)
}

/** @returns the fan-out with its new last recipient; undefined when no subscribers remain */
function notifyBatch(tx: Writer, fanOut: fanOuts.FanOut, at: DatetimeString): fanOuts.FanOut | undefined {
  const { did, isReply, lastRecipient: after } = fanOut
  if (activitySubscriptions.subscriberAfter(tx, did, after, 0) === undefined) return undefined
  const last = activitySubscriptions.subscriberAfter(tx, did, after, batchSize - 1)
  const indexedAt = arrivalTime(tx, at)
  const upTo = last ?? Number.MAX_SAFE_INTEGER
  notifications.insertForSubscribers(tx, fanOut, { isReply, after, upTo, indexedAt })
  return last === undefined ? undefined : { ...fanOut, lastRecipient: last }
}
