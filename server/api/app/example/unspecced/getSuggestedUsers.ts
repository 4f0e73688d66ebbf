import { app } from '../../../../../lexicons/generated/index.ts'
import { suggestedUsers } from '../../../../app/views/show/actor-lists.ts'
import { method } from '../../../method.ts'

/** Suggests the same accounts for all categories. */
export const getSuggestedUsers = method(app.example.unspecced.getSuggestedUsers, {
  auth: 'access',
  handler: ({ params, auth, caller, app: { viewContext } }) => ({
    actors: suggestedUsers(viewContext(caller.origin, auth.did), params.limit),
  }),
})
