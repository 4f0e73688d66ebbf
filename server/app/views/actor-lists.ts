/** Lists of actors around a subject: its followers, and whom it follows. */
import type { RelatedActor } from '../../platform/store/tables/graph.ts'
import type { ViewContext } from './context.ts'
import { isHidden, loadActors } from './profiles.ts'
import { isBlocked, relationsOf } from './relations.ts'

/** Returns the ids of the actors to show, without actors blocked from the viewer or the subject. */
export function shownAround(ctx: ViewContext, subject: number, items: readonly RelatedActor[]): number[] {
  const ids = items.map(({ actor }) => actor)
  loadActors(ctx, [subject, ...ids])
  const toSubject = subject === ctx.viewer ? ctx.relations : relationsOf(ctx, subject, ids)
  const isBlockedFromSubject = (id: number) => {
    const relation = toSubject.get(id)
    return relation !== undefined && isBlocked(relation)
  }
  return ids.filter((id) => !isHidden(ctx, id) && !isBlockedFromSubject(id))
}
