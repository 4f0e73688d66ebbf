/**
 * Telling the subscribers of an account of its posts. The first of them are told in the transaction that writes the post. When
 * there are more, they are told afterwards, so many at a time that nobody else has to wait; how far that has got is stored, and
 * a server that was stopped goes on from there.
 */

import type { Database, Writer } from '../store/database.ts'
import * as activitySubscriptions from '../store/tables/activity-subscriptions.ts'
import * as fanOuts from '../store/tables/fan-outs.ts'
import * as notifications from '../store/tables/notifications.ts'
import { type DatetimeString, iso } from '../util/time.ts'
import { announcing, arrivalTime } from './arrival.ts'
import type { NotificationEvents } from './events.ts'

interface Deps {
  readonly store: Database
  readonly notifications: NotificationEvents
  readonly now: () => Date
}

/** Takes some 3 ms. */
const subscribersAtATime = 500

/** Tells the first subscribers of a post. @returns whether there are more, for `finishFanOuts` */
export function beginFanOut(
  tx: Writer,
  post: notifications.Source & { readonly isReply: boolean },
  at: DatetimeString,
): boolean {
  const fanOut = { ...post, isReply: post.isReply ? 1 : 0, lastRecipient: '' }
  const next = tellNext(tx, fanOut, at)
  if (next) fanOuts.put(tx, next)
  return next !== undefined
}

/** Tells all subscribers who are left. Runs after a start, and when a post has more subscribers than were told with it. */
export async function finishFanOuts({ store, notifications: events, now }: Deps): Promise<void> {
  while (fanOuts.first(store)) {
    const announce = await store.transact((tx) => announcing(tx, events, () => goOn(tx, iso(now()))))
    announce?.()
  }
}

function goOn(tx: Writer, at: DatetimeString): void {
  const fanOut = fanOuts.first(tx)
  if (!fanOut) return
  const next = tellNext(tx, fanOut, at)
  if (next) fanOuts.put(tx, next)
  else fanOuts.remove(tx, fanOut)
}

/** @returns how it stands when there may be more */
function tellNext(tx: Writer, fanOut: fanOuts.FanOut, at: DatetimeString): fanOuts.FanOut | undefined {
  const { did, isReply, lastRecipient: after } = fanOut
  if (activitySubscriptions.subscriberAfter(tx, did, after, 0) === undefined) return undefined
  const last = activitySubscriptions.subscriberAfter(tx, did, after, subscribersAtATime - 1)
  const indexedAt = arrivalTime(tx, at)
  // No DID has a character beyond `~`.
  notifications.insertForSubscribers(tx, fanOut, { isReply, after, upTo: last ?? '~', indexedAt })
  return last === undefined ? undefined : { ...fanOut, lastRecipient: last }
}
