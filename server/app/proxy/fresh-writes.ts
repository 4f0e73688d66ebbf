/** Recent writes of an account, and the shapes in responses of an app view to which they are added. */
import { isObject, isString } from '../../util/json.ts'

export type Json = Readonly<Record<string, unknown>>

/** Fresh writes of the account that calls, as clients see them. */
export interface FreshWrites {
  /** DID and handle. */
  readonly names: readonly string[]
  /** Posts, replies and reposts as items of a feed, newest first. */
  readonly items: readonly unknown[]
  /** Its profile if it was edited. */
  readonly profile: unknown
  /** Maps a `$type` to the name that the caller uses. */
  readonly rename: (type: string) => string
}

export interface Post extends Json {
  readonly uri: string
  readonly indexedAt: string
  readonly record: Json
}

export interface Item extends Json {
  readonly post: Post
  readonly reason?: Json | undefined
}

export function isPost(value: unknown): value is Post {
  return isObject(value) && isString(value.uri) && isString(value.indexedAt) && isObject(value.record)
}

export function isItem(value: unknown): value is Item {
  return isObject(value) && isPost(value.post) && (value.reason === undefined || isObject(value.reason))
}

export function itemsOf(fresh: FreshWrites): Item[] {
  return fresh.items.filter(isItem)
}

/** Posts and replies, oldest first, so that a reply comes after its parent. */
export function postsOf(fresh: FreshWrites): Post[] {
  const own = itemsOf(fresh).filter(({ reason }) => reason === undefined)
  return own.map(({ post }) => post).toReversed()
}
