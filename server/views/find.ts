/** Finds the actors and records that requests name. */
import { namesOf } from '../config/aliases.ts'
import * as graph from '../store/tables/graph.ts'
import { protocolError } from '../xrpc/errors.ts'
import type { ViewContext } from './context.ts'
import { actorById } from './profiles.ts'

/** Returns the id of an actor. @param identifier handle or DID; handles in any letter case */
export function actorIdByIdentifier({ db }: Pick<ViewContext, 'db'>, identifier: string): number | undefined {
  return identifier.startsWith('did:')
    ? graph.actorIdOf(db, identifier)
    : graph.actorIdOfHandle(db, identifier.toLowerCase())
}

/** Whether the viewer may see an actor: it is active, or the viewer. */
export function isVisible(ctx: ViewContext, id: number): boolean {
  return id === ctx.viewer || actorById(ctx, id).isActive
}

/**
 * Returns the id of an actor that the viewer may see.
 * @param identifier handle or DID
 * @throws InvalidRequest
 */
export function findActor(ctx: ViewContext, identifier: string): number {
  const id = actorIdByIdentifier(ctx, identifier)
  if (id !== undefined && isVisible(ctx, id)) return id
  throw protocolError('InvalidRequest', `Actor not found: ${identifier}`)
}

/**
 * Returns the record at an AT URI, if its author is an actor that the viewer may see.
 * @param collection canonical NSID; the record may be stored and requested under any of its names
 */
export function findRecord(ctx: ViewContext, uri: string, collection: string): graph.RecordRow | undefined {
  const [authority = '', name = '', rkey] = uri.slice('at://'.length).split(/[/#]/)
  const names = namesOf(collection, ctx.aliases)
  if (!names.includes(name) || !rkey) return undefined
  const actor = actorIdByIdentifier(ctx, authority)
  if (actor === undefined || !isVisible(ctx, actor)) return undefined
  return graph.findRecord(ctx.db, actor, [name, ...names], rkey)
}
