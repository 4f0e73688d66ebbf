import { app } from '../../../../../lexicons/generated/index.ts'
import { suggestedUsers } from '../../../../app/views/show/actor-lists.ts'
import { method } from '../../../method.ts'

export const getSuggestedUsersForDiscover = method(app.example.unspecced.getSuggestedUsersForDiscover, {
  auth: 'access',
  handler: ({ params, auth, caller, app: { viewContext } }) => ({
    actors: suggestedUsers(viewContext(caller.origin, auth.did), params.limit),
  }),
})
