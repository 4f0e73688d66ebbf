import { app } from '../../../../../lexicons/generated/index.ts'
import { findByIdentifier } from '../../../../accounts/identifier.ts'
import { statusOf } from '../../../../accounts/status.ts'
import { profileDetailOf } from '../../../../records/profiles.ts'
import { recordUri } from '../../../../records/record-uri.ts'
import type { Reader } from '../../../../store/database.ts'
import * as activitySubscriptions from '../../../../store/tables/activity-subscriptions.ts'
import * as follows from '../../../../store/tables/follows.ts'
import { method } from '../../../method.ts'

export const getProfile = method(app.example.actor.getProfile, {
  auth: 'optional',
  handler({ params, auth, store, config, fail }) {
    const account = findByIdentifier(store, params.actor)
    if (!account || (statusOf(account) !== undefined && account.did !== auth?.did)) {
      throw fail('ProfileNotFound', 'Account not found')
    }
    const { did, handle, createdAt } = account
    return {
      did,
      handle,
      createdAt,
      ...profileDetailOf(store, config.aliases, did),
      viewer: auth && viewerState(store, auth.did, did),
    }
  },
})

function viewerState(db: Reader, viewer: string, did: string): app.example.actor.defs.ViewerState {
  const following = follows.find(db, viewer, did)
  const followedBy = follows.find(db, did, viewer)
  const subscription = activitySubscriptions.find(db, viewer, did)
  return {
    following: following && recordUri(following.did, following.collection, following.rkey),
    followedBy: followedBy && recordUri(followedBy.did, followedBy.collection, followedBy.rkey),
    activitySubscription: subscription && {
      post: subscription.post === 1,
      reply: subscription.reply === 1,
    },
  }
}
