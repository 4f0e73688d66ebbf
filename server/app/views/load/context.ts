/** The context of views: the store, the viewer, and the rows that this response has read so far. */
import type { app } from '../../../../lexicons/generated/index.ts'
import type { TransientActors } from '../../../federation/actors/transient.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { HashVideo } from '../../../repository/blobs/videos/video-path.ts'
import type { Reader } from '../../../store/database.ts'
import * as actors from '../../../store/tables/actors.ts'
import { type Actor, createLoadedPosts, type LoadedPosts, type Relation } from './loaded.ts'
import { createRecordReader, type RecordReader } from './records.ts'

/** The tables that views of posts and actors show. */
export const viewTables = [
  'accounts',
  'actors',
  'remote_actors',
  'records',
  'subjects',
  'links',
  'link_counts',
  'follow_counts',
  'posts',
  'mutes',
  'muted_lists',
  'muted_threads',
  'bookmarks',
  'taken_down_records',
]

/** Lives for one response: it keeps the actors, relations and posts that were read. */
export interface ViewContext extends Pick<Platform, 'names' | 'now'> {
  readonly db: Reader
  /** Origin of image URLs, as the client reaches this server; without a trailing slash. */
  readonly origin: string
  /** Makes the keys of video URLs. */
  readonly hashVideo: HashVideo
  /** Actor id of the signed-in account; undefined when anonymous. */
  readonly viewer: number | undefined
  readonly records: RecordReader
  readonly actors: Map<number, Actor>
  readonly relations: Map<number, Relation>
  /** Views of the lists by which the viewer blocks or mutes. */
  readonly lists: Map<number, app.example.graph.defs.ListViewBasic | undefined>
  readonly posts: LoadedPosts
  /** Called with actors of other servers that the response shows. */
  readonly refreshSoon: (ids: readonly number[]) => void
  /** Actors of other servers that are not in the store. */
  readonly transient: Pick<TransientActors, 'find' | 'get'>
}

/** The context of a response to a signed-in account. */
export type SignedInContext = ViewContext & { readonly viewer: number }

/** Creates the context of a response. */
export interface CreateViewContext {
  /** @param viewer DID of the signed-in account */
  (origin: string, viewer: string): SignedInContext
  (origin: string, viewer: string | undefined): ViewContext
}

interface Deps extends Pick<ViewContext, 'names' | 'now' | 'hashVideo'> {
  readonly store: Reader
  readonly refreshSoon: ViewContext['refreshSoon']
  readonly transient: ViewContext['transient']
}

export function createViewContexts({
  store,
  names,
  now,
  hashVideo,
  refreshSoon,
  transient,
}: Deps): CreateViewContext {
  const records = createRecordReader(names)
  const create = (origin: string, viewer: string | undefined): ViewContext => ({
    db: store,
    names,
    origin,
    hashVideo,
    viewer: viewer === undefined ? undefined : actors.idOf(store, viewer),
    now,
    records,
    actors: new Map(),
    relations: new Map(),
    lists: new Map(),
    posts: createLoadedPosts(),
    refreshSoon,
    transient,
  })
  return create as CreateViewContext
}
