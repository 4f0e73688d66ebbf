import { app } from '../../../../../lexicons/generated/index.ts'
import { actorIdByIdentifier, isVisible } from '../../../../views/find.ts'
import { profileViewDetailed } from '../../../../views/profile-detail.ts'
import { actorById, loadActors } from '../../../../views/profiles.ts'
import { method } from '../../../method.ts'

export const getProfiles = method(app.example.actor.getProfiles, {
  auth: 'optional',
  handler({ params, auth, caller, viewContext }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const ids = new Set(params.actors.flatMap((actor) => actorIdByIdentifier(ctx, actor) ?? []))
    loadActors(ctx, ids)
    const shown = [...ids].filter((id) => actorById(ctx, id).isKnown && isVisible(ctx, id))
    return { profiles: shown.map((id) => profileViewDetailed(ctx, id)) }
  },
})
