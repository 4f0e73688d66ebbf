import { app } from '../../../../../lexicons/generated/index.ts'
import { isVisible } from '../../../../app/views/filter/actors.ts'
import { actorIdByIdentifier } from '../../../../app/views/find/named.ts'
import { actorById, loadActors } from '../../../../app/views/load/actors.ts'
import { profileViewDetailed } from '../../../../app/views/show/profile-detail.ts'
import { method } from '../../../method.ts'

export const getProfiles = method(app.example.actor.getProfiles, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const ids = new Set(params.actors.flatMap((actor) => actorIdByIdentifier(ctx, actor) ?? []))
    loadActors(ctx, ids)
    const shown = [...ids].filter((id) => actorById(ctx, id).isKnown && isVisible(ctx, id))
    return { profiles: shown.map((id) => profileViewDetailed(ctx, id)) }
  },
})
