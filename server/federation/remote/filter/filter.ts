/**
 * Decides what of other servers is kept: only what concerns accounts here. Read this first.
 *
 * A record passes up to three decisions, each with more of it: an event before it is verified (`event`), or a record of a repository
 * before it is decoded (`inRepository`), then the record before it is stored (`record`). The earlier ones keep whatever the last
 * one might keep. How much is kept is decided in `limits/limits.ts`.
 */
import type { Names } from '../../../platform/config/aliases.ts'
import { collections } from '../../../platform/config/nsids.ts'
import type { Database, Reader } from '../../../store/database.ts'
import { idOf } from '../../../store/tables/actors.ts'
import * as interest from '../../tables/remote-interest.ts'
import type { RemoteContent, RemoteName } from '../read-change.ts'
import { createMentions } from './mentions.ts'
import { type Arrival, judgeRecord, type LeftOut, leaveOut, type RecordDecision } from './records.ts'

/** Whether an event or an unread record is kept, to be verified and read. */
export type Decision = { readonly keep: true } | LeftOut

export interface Filter {
  /** Whether an actor has an account here: then other servers have nothing to report of it. */
  isLocal(did: string): boolean
  /** Whether something of an actor is stored, or a record or an account here refers to it. */
  isKnown(did: string): boolean
  /**
   * Judges an event by as few of its bytes as possible.
   * @param opsOf returns the changes that a commit claims; undefined if it lacks them. Called only if necessary
   */
  event<Event extends EventHead>(event: Event, opsOf: (event: Event) => readonly Op[] | undefined): Decision
  /** Returns a function that judges the records of a repository, which may be a million. @param isStored asked by the path of a record */
  inRepository(
    did: string,
    isStored: (path: string) => boolean,
  ): (collection: string, rkey: string, bytes: Uint8Array) => Decision
  /** @param content undefined if the record cannot be read */
  record(db: Reader, name: RemoteName, content: RemoteContent | undefined, arrival: Arrival): RecordDecision
}

export interface EventHead {
  readonly kind: string
  /** Of its author. */
  readonly did: string
  /** Of a commit. */
  readonly blocks: Uint8Array
}

interface Op {
  readonly action: string
  /** `collection/rkey` */
  readonly path: string
}

interface Deps {
  readonly store: Database
  readonly names: Names
  readonly now: () => Date
}

/** Posts and reposts, under any name of their collections. */
const isFeedItem = /\.feed\.(?:re)?post\//
/** Lists and their items, under any name of their collections. */
const isOfList = /\.graph\.list(?:item)?\//
/** Gates, which have the key of their post, under any name of their collections. */
const ofGate = /\.feed\.(?:thread|post)gate\/(.+)$/
/** Records of which a repository has one, such as the profile. */
const isSingle = /\/self$/

const feeds = new Set<string>([collections.post, collections.repost])
const lists = new Set<string>([collections.list, collections.listitem])
const gates = new Set<string>([collections.threadgate, collections.postgate])

const keep = { keep: true } as const
const [local, unknown, unrelated] = [leaveOut('local'), leaveOut('unknown'), leaveOut('unrelated')]

export function createFilter({ store, names, now }: Deps): Filter {
  const { isLocal, mentionsLocal } = createMentions(store)
  const isKnown = (did: string) => interest.isKnown(store, did)

  function hasPost(did: string, rkey: string | undefined): boolean {
    const collection = names.stored(collections.post)
    return rkey !== undefined && interest.isStored(store, { did, collection, rkey })
  }

  /** Whether the changes of a known actor may concern stored records, or be stored. */
  function mayConcern(did: string, isWatched: boolean, ops: readonly Op[]): boolean {
    const isConcerned = ({ action, path }: Op) =>
      action !== 'create' ||
      isSingle.test(path) ||
      (isWatched && isFeedItem.test(path)) ||
      hasPost(did, ofGate.exec(path)?.[1])
    return (
      ops.some(isConcerned) ||
      (ops.some(({ path }) => isOfList.test(path)) && interest.hasUsedList(store, did))
    )
  }

  return {
    isLocal,
    isKnown,
    event(event, opsOf) {
      const { kind, did, blocks } = event
      if (isLocal(did)) return local
      const isCommit = kind === 'commit'
      if (isCommit && mentionsLocal(blocks)) return keep
      // Stored records of other authors may name the account, and then its profile is shown.
      const isOfActor = kind === 'account' || kind === 'identity'
      if (isOfActor && idOf(store, did) !== undefined) return keep
      const isWatched = interest.isWatched(store, did)
      if (!isWatched && !isKnown(did)) return unknown
      const ops = isCommit ? opsOf(event) : undefined
      return !ops || mayConcern(did, isWatched, ops) ? keep : unrelated
    },
    inRepository(did, isStored) {
      const hasUsedList = interest.hasUsedList(store, did)
      const mayBeKept = (collection: string, rkey: string, bytes: Uint8Array) => {
        if (rkey === 'self' || mentionsLocal(bytes)) return true
        const name = names.own(collection)
        if (gates.has(name) && isStored(`${names.stored(collections.post)}/${rkey}`)) return true
        if (lists.has(name)) return hasUsedList
        return (feeds.has(name) || gates.has(name)) && interest.isWatched(store, did)
      }
      return (collection, rkey, bytes) => (mayBeKept(collection, rkey, bytes) ? keep : unrelated)
    },
    record: (db, name, content, arrival) =>
      content ? judgeRecord({ db, now: now() }, name, content, arrival) : leaveOut('unreadable'),
  }
}
