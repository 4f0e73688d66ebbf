/** Subscriptions to the activity of other accounts. */
import type { DidString } from '@atproto/lex-schema'
import { app } from '../../lexicons/generated/index.ts'
import { type Body, callAs } from './client.ts'

const { listActivitySubscriptions, putActivitySubscription } = app.example.notification
const { getProfile } = app.example.actor

export type ActivitySubscription = Body<
  typeof listActivitySubscriptions.main
>['subscriptions'][number]['activitySubscription']

/**
 * Changes a subscription. A call carries both members: the other one is read first, because another client may have changed it.
 * @param known the subscription as shown, for a person whose profile cannot be read
 */
export async function changeSubscription(
  did: string,
  subject: DidString,
  changed: Partial<ActivitySubscription>,
  known: ActivitySubscription = { post: false, reply: false },
): Promise<Body<typeof putActivitySubscription.main>> {
  const current = await callAs(did, getProfile, { params: { actor: subject } }).then(
    ({ viewer }) => viewer?.activitySubscription ?? { post: false, reply: false },
    () => known,
  )
  const { post = current.post, reply = current.reply } = changed
  return callAs(did, putActivitySubscription, { body: { subject, activitySubscription: { post, reply } } })
}
