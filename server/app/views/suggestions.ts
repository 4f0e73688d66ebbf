/** Views of accounts that an account may want to follow. */
import type { app } from '../../../lexicons/generated/index.ts'
import type { ViewContext } from './context.ts'
import { isHidden, loadActors, profileView } from './profiles.ts'
import { relationTo } from './relations.ts'

/** Returns the profiles of actors in the given order, without actors that the viewer may not see or mutes. */
export function suggestedProfiles(
  ctx: ViewContext,
  actors: readonly number[],
): app.example.actor.defs.ProfileView[] {
  loadActors(ctx, actors)
  return actors
    .filter((id) => !isHidden(ctx, id) && !relationTo(ctx, id).muted)
    .map((id) => profileView(ctx, id))
}
