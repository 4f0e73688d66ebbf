import { com } from '../../../../../lexicons/generated/index.ts'
import { describeActor } from '../../../../federation/actors/describe.ts'
import { describe } from '../../../../federation/tables/remote-actors.ts'
import { method } from '../../../method.ts'

export const describeActors = method(com.core.actor.describeActors, {
  auth: 'access',
  handler({ params, store, federation: { actors } }) {
    actors.requestRefresh(params.dids)
    return { actors: describe(store, params.dids).map(describeActor) }
  },
})
