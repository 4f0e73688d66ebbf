import type { AtIdentifierString } from '@atproto/syntax'
import { app } from '../../../../../lexicons/generated/index.ts'
import { isVisible } from '../../../../app/views/filter/actors.ts'
import { actorIdByIdentifier } from '../../../../app/views/find/named.ts'
import { actorById, loadActors } from '../../../../app/views/load/actors.ts'
import type { ViewContext } from '../../../../app/views/load/context.ts'
import { isBlocked, relationsOf } from '../../../../app/views/load/relations.ts'
import { method } from '../../../method.ts'

const { relationship, notFoundActor } = app.example.graph.defs

export const getRelationships = method(app.example.graph.getRelationships, {
  auth: 'optional',
  handler({ params, auth, caller, app: { viewContext }, fail }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const { actor, others = [] } = params
    const from = visibleActor(ctx, actor)
    if (from === undefined) throw fail('ActorNotFound', `Actor not found: ${actor}`)
    const found = new Map(others.map((other) => [other, visibleActor(ctx, other)]))
    const ids = [...new Set(found.values())].filter((id) => id !== undefined)
    loadActors(ctx, ids)
    const relations = relationsOf(ctx, from, ids)
    return {
      actor: actorById(ctx, from).did,
      relationships: others.map((other) => {
        const id = found.get(other)
        const relation = id === undefined ? undefined : relations.get(id)
        if (id === undefined || !relation) return notFoundActor.$build({ actor: other, notFound: true })
        const follows = isBlocked(relation) ? undefined : relation
        return relationship.$build({
          did: actorById(ctx, id).did,
          following: follows?.following,
          followedBy: follows?.followedBy,
          blocking: relation.blocking,
          blockedBy: relation.blockedBy,
          blockingByList: relation.blockingByList?.uri,
          blockedByList: relation.blockedByList?.uri,
        })
      }),
    }
  },
})

function visibleActor(ctx: ViewContext, identifier: AtIdentifierString): number | undefined {
  const id = actorIdByIdentifier(ctx, identifier)
  return id !== undefined && isVisible(ctx, id) ? id : undefined
}
