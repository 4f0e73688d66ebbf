/** Profiles in lists of actors. */
import type { app } from '../../../../lexicons/generated/index.ts'
import { notFollowed, type RelatedActor } from '../../../federation/tables/graph.ts'
import { isHidden } from '../filter/actors.ts'
import { actorById, loadActors } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import type { Actor } from '../load/loaded.ts'
import { isBlocked, relationsOf, relationTo } from '../load/relations.ts'
import { profileView } from './profiles.ts'

type ProfileView = app.example.actor.defs.ProfileView

/** Returns the profiles of active actors, without actors blocked from the viewer. */
export function visibleProfiles(ctx: ViewContext, ids: readonly number[]): ProfileView[] {
  loadActors(ctx, ids)
  return ids.filter((id) => !isHidden(ctx, id)).map((id) => profileView(ctx, id))
}

/** Returns the profiles of active actors, also of blocked ones. */
export function activeProfiles(ctx: ViewContext, ids: readonly number[]): ProfileView[] {
  loadActors(ctx, ids)
  return ids.filter((id) => actorById(ctx, id).isActive).map((id) => profileView(ctx, id))
}

/**
 * Returns the profiles of actors that the viewer may want to follow: visible ones that it does not mute, and that do not ask to be
 * absent from recommendations. What the viewer follows or searches for is shown in any case.
 */
export function suggestedProfiles(ctx: ViewContext, ids: readonly number[]): ProfileView[] {
  loadActors(ctx, ids)
  return visibleProfiles(
    ctx,
    ids.filter((id) => !relationTo(ctx, id).muted && !isUnlisted(actorById(ctx, id))),
  )
}

function isUnlisted({ visibility }: Actor): boolean {
  return visibility?.value.hideFromAlgorithmicRecommendations ?? false
}

/** Returns the profiles of accounts that the viewer does not follow, the same for all places where clients show suggestions. */
export function suggestedUsers(ctx: ViewContext, limit: number): ProfileView[] {
  return suggestedProfiles(ctx, notFollowed(ctx.db, ctx.viewer, { limit }))
}

/** Returns the profiles of followers and follows of a subject, without actors blocked from the viewer or the subject. */
export function profilesAround(
  ctx: ViewContext,
  subject: number,
  items: readonly RelatedActor[],
): ProfileView[] {
  const ids = items.map(({ actor }) => actor)
  loadActors(ctx, [subject, ...ids])
  const toSubject = subject === ctx.viewer ? ctx.relations : relationsOf(ctx, subject, ids)
  const isBlockedFromSubject = (id: number) => {
    const relation = toSubject.get(id)
    return relation !== undefined && isBlocked(relation)
  }
  return visibleProfiles(
    ctx,
    ids.filter((id) => !isBlockedFromSubject(id)),
  )
}
