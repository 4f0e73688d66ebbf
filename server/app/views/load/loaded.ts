/** What one response has read so far: actors, relations, gates and rows about posts. */
import type { AtUriString, DidString, HandleString } from '@atproto/syntax'
import type { app, chat, com } from '../../../../lexicons/generated/index.ts'
import type { RecordRow } from '../../../federation/tables/graph.ts'
import type { DatetimeString } from '../../../util/time.ts'
import type { ViewRecord } from './records.ts'

export type ThreadGate = ViewRecord<app.example.feed.threadgate.Main>
export type PostGate = ViewRecord<app.example.feed.postgate.Main>

/** The gates of a post. */
export interface Gates {
  readonly thread: ThreadGate | undefined
  readonly post: PostGate | undefined
}

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

export interface SelfRecords {
  profile?: ViewRecord<app.example.actor.profile.Main>
  status?: ViewRecord<app.example.actor.status.Main>
  activity?: ViewRecord<app.example.notification.declaration.Main>
  chat?: ViewRecord<chat.example.actor.declaration.Main>
  labeler?: ViewRecord<app.example.labeler.service.Main>
  visibility?: ViewRecord<app.example.actor.contentVisibilityDeclaration.Main>
  germ?: ViewRecord<com.germnetwork.declaration.Main>
}

/** An actor as views show it, without records when it is inactive. */
export interface Actor extends Readonly<SelfRecords> {
  readonly id: number
  readonly did: DidString
  /** `handle.invalid` for an actor of another server without a verified handle. */
  readonly handle: HandleString
  /** Whether it has an account here, or its identity at another server is known. */
  readonly isKnown: boolean
  readonly isActive: boolean
  /** Creation time of the account; undefined for an actor of another server. */
  readonly createdAt: DatetimeString | undefined
}

export interface Relation {
  /** Whether the viewer mutes the actor, directly or by a list. */
  readonly muted: boolean
  /** Id of a list by which the viewer mutes the actor. */
  readonly mutedByList?: number | undefined
  /** The viewer's block record. */
  readonly blocking?: AtUriString | undefined
  /** Id of a list by which the viewer blocks the actor, and the listblock record. */
  readonly blockingByList?: ListBlock | undefined
  /** The actor's block record. */
  readonly blockedBy?: AtUriString | undefined
  readonly blockedByList?: ListBlock | undefined
  /** The viewer's follow record. */
  readonly following?: AtUriString | undefined
  /** The actor's follow record. */
  readonly followedBy?: AtUriString | undefined
}

export interface ListBlock {
  /** Id of the list's record. */
  readonly list: number
  /** The listblock record. */
  readonly uri: AtUriString
}
