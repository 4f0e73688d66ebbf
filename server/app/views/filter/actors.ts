/** The actors that the viewer of a response sees. */
import { actorById } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import { isBlocked, relationTo } from '../load/relations.ts'

/** Whether the viewer may see an actor: it is active, or the viewer. */
export function isVisible(ctx: ViewContext, id: number): boolean {
  return id === ctx.viewer || actorById(ctx, id).isActive
}

/** Whether lists leave an actor out: it is inactive, or it or the viewer blocks the other. The viewer is never left out. */
export function isHidden(ctx: ViewContext, id: number): boolean {
  if (id === ctx.viewer) return false
  return !actorById(ctx, id).isActive || isBlocked(relationTo(ctx, id))
}
