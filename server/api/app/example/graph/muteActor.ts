import { app } from '../../../../../lexicons/generated/index.ts'
import * as mutes from '../../../../app/tables/mutes.ts'
import { didOf } from '../../../../app/views/find/named.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const muteActor = method(app.example.graph.muteActor, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, now, fail }) {
    const subject = didOf(store, input.actor)
    if (subject === undefined) throw fail('InvalidRequest', `Actor not found: ${input.actor}`)
    if (subject === auth.did) throw fail('InvalidRequest', 'You cannot mute yourself')
    if (input.onlyReposts || input.onlyQuoteposts) {
      throw fail('InvalidRequest', 'This server mutes all posts of an account, or none')
    }
    store.assertRoom()
    await store.transact((tx) => mutes.add(tx, auth.did, subject, iso(now())))
  },
})
