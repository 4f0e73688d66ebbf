/** Finds the actors and records that requests name. */
import type { DidString } from '@atproto/syntax'
import * as graph from '../../../federation/tables/graph.ts'
import { protocolError } from '../../../platform/xrpc/xrpc-errors.ts'
import type { RecordName } from '../../../repository/tables/records.ts'
import type { Reader } from '../../../store/database.ts'
import * as actors from '../../../store/tables/actors.ts'
import { isVisible } from '../filter/actors.ts'
import type { ViewContext } from '../load/context.ts'

/** Returns the id of an actor. @param identifier handle or DID; handles in any letter case */
export function actorIdByIdentifier(
  { db, transient }: Pick<ViewContext, 'db' | 'transient'>,
  identifier: string,
): number | undefined {
  const stored = identifier.startsWith('did:')
    ? actors.idOf(db, identifier)
    : graph.actorOfHandle(db, identifier.toLowerCase())?.id
  return stored ?? transient.find(identifier)?.id
}

/** Returns the DID of a handle or DID; undefined for a handle of no known actor. */
export function didOf(db: Reader, identifier: string): DidString | undefined {
  if (identifier.startsWith('did:')) return identifier as DidString
  return graph.actorOfHandle(db, identifier.toLowerCase())?.did
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
 * Splits the AT URI of a record.
 * @param collection our name of it
 * @returns undefined for a record of another collection, or of an unknown handle
 */
export function recordName(
  { db, names }: Pick<ViewContext, 'db' | 'names'>,
  uri: string,
  collection: string,
): RecordName | undefined {
  const [authority = '', name = '', rkey] = uri.slice('at://'.length).split(/[/#]/)
  if (names.own(name) !== collection || !rkey) return undefined
  const did = didOf(db, authority)
  return did === undefined ? undefined : ({ did, collection: names.stored(name), rkey } as RecordName)
}

/**
 * Returns the record at an AT URI, if its author is an actor that the viewer may see.
 * @param collection our name of it
 */
export function findRecord(ctx: ViewContext, uri: string, collection: string): graph.RecordRow | undefined {
  const name = recordName(ctx, uri, collection)
  if (!name) return undefined
  const actor = actors.idOf(ctx.db, name.did)
  if (actor === undefined || !isVisible(ctx, actor)) return undefined
  return graph.findRecord(ctx.db, actor, name.collection, name.rkey)
}
