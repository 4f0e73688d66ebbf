/** The rows about posts that a response has read; see `load-posts.ts`. */
import type { AtUriString } from '@atproto/syntax'
import type { RecordRow } from '../../federation/tables/graph.ts'
import type { Gates } from './gates.ts'

/** How others, and the viewer, have responded to a post. */
export interface Responses {
  readonly likes: number
  readonly reposts: number
  readonly replies: number
  readonly quotes: number
  /** The viewer's like record. */
  readonly like: AtUriString | undefined
  /** The viewer's repost record. */
  readonly repost: AtUriString | undefined
  readonly isBookmarked: boolean
  /** Whether the viewer mutes the post's thread. */
  readonly isThreadMuted: boolean
}

/** The rows that one response has read. */
export interface LoadedPosts {
  /** Records by the URIs under which they were looked up; undefined if there is none. */
  readonly records: Map<string, RecordRow | undefined>
  readonly responses: Map<number, Responses>
  readonly gates: Map<number, Gates>
  /** Pairs of actors, as `pairKey`, and whether either blocks the other. */
  readonly blocks: Map<string, boolean>
}

export function createLoadedPosts(): LoadedPosts {
  return { records: new Map(), responses: new Map(), gates: new Map(), blocks: new Map() }
}
