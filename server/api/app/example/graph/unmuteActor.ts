import { app } from '../../../../../lexicons/generated/index.ts'
import * as mutes from '../../../../app/tables/mutes.ts'
import { didOf } from '../../../../app/views/find/named.ts'
import { method } from '../../../method.ts'

export const unmuteActor = method(app.example.graph.unmuteActor, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, fail }) {
    const subject = didOf(store, input.actor)
    if (subject === undefined) throw fail('InvalidRequest', `Actor not found: ${input.actor}`)
    await store.transact((tx) => mutes.remove(tx, auth.did, subject))
  },
})
