/** What views need: the store, the viewer, and what this response has read so far. */
import type { Aliases } from '../config/aliases.ts'
import type { Reader } from '../store/database.ts'
import { actorIdOf } from '../store/tables/graph.ts'
import type { Actor } from './profiles.ts'
import { createRecordReader, type RecordReader } from './records.ts'
import type { Relation } from './relations.ts'

/** Lives for one response: it keeps the actors and relations that were read. */
export interface ViewContext {
  readonly db: Reader
  readonly aliases: Aliases
  /** Origin of image URLs, as the client reaches this server; without a trailing slash. */
  readonly origin: string
  /** Actor id of the signed-in account; undefined when anonymous. */
  readonly viewer: number | undefined
  readonly now: () => Date
  readonly records: RecordReader
  readonly actors: Map<number, Actor>
  readonly relations: Map<number, Relation>
}

/** Creates the context of a response. @param viewer DID of the signed-in account */
export type CreateViewContext = (origin: string, viewer: string | undefined) => ViewContext

interface Deps {
  readonly store: Reader
  readonly aliases: Aliases
  readonly now: () => Date
}

export function createViewContexts({ store, aliases, now }: Deps): CreateViewContext {
  const records = createRecordReader(aliases)
  return (origin, viewer) => ({
    db: store,
    aliases,
    origin,
    viewer: viewer === undefined ? undefined : actorIdOf(store, viewer),
    now,
    records,
    actors: new Map(),
    relations: new Map(),
  })
}
