/**
 * Adds recent writes of an account to responses of an app view, whose index lags behind. Responses of another shape than
 * their lexicon's are left as they are.
 */
import { isObject, isString, parseJson } from '../../util/json.ts'
import { type FreshWrites, type Item, isItem, isPost, itemsOf, type Json, postsOf } from './fresh-writes.ts'
import { mergeFlatThread, mergeThread } from './merge-threads.ts'
import type { Revise } from './relay.ts'

/** @returns undefined if the response stays as it is */
type Merge = (response: Json, fresh: FreshWrites, params: URLSearchParams) => Json | undefined

/** Merges by the names of methods. */
const merges: ReadonlyMap<string, Merge> = new Map([
  ['app.example.feed.getTimeline', mergeTimeline],
  ['app.example.feed.getAuthorFeed', mergeAuthorFeed],
  ['app.example.feed.getPosts', mergePosts],
  ['app.example.feed.getPostThread', mergeThread],
  ['app.example.unspecced.getPostThreadV2', mergeFlatThread],
  ['app.example.actor.getProfile', mergeProfile],
  ['app.example.actor.getProfiles', mergeProfiles],
])

/** Whether fresh writes are added to the responses of a method. */
export function isMerged(nsid: string): boolean {
  return merges.has(nsid)
}

/** Returns the function that adds fresh writes to a response, which is left to this server if it is about a fresh post. */
export function mergeInto(nsid: string, query: string, fresh: FreshWrites): Revise {
  const params = new URLSearchParams(query)
  return (status, body) => {
    const response = parseJson(body)
    if (!isObject(response)) return body
    if (isNotFound(status, response) && isFreshPost(fresh, params.get('uri') ?? params.get('anchor'))) {
      return undefined
    }
    const merged = status === 200 ? merges.get(nsid)?.(response, fresh, params) : undefined
    return (merged && encode(merged)) ?? body
  }
}

/** Returns undefined for a value that is nested too deeply to be written. */
function encode(response: Json): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(response))
  } catch {
    return undefined
  }
}

/** Whether the app view does not have the post of a thread. */
function isNotFound(status: number, { error, thread }: Json): boolean {
  if (status >= 400) return error === 'NotFound'
  const [anchor] = Array.isArray(thread) ? thread : []
  return isObject(anchor) && isObject(anchor.value) && /#threadItemNotFound$/.test(String(anchor.value.$type))
}

function isFreshPost(fresh: FreshWrites, uri: string | null): boolean {
  return postsOf(fresh).some((post) => post.uri === uri)
}

function mergeTimeline(response: Json, fresh: FreshWrites, params: URLSearchParams): Json | undefined {
  return params.get('cursor') ? undefined : withItems(response, itemsOf(fresh))
}

function mergeAuthorFeed(response: Json, fresh: FreshWrites, params: URLSearchParams): Json | undefined {
  const filter = params.get('filter') ?? 'posts_with_replies'
  if (params.get('cursor') || !fresh.names.includes(params.get('actor') ?? '')) return undefined
  if (filter === 'posts_with_replies') return withItems(response, itemsOf(fresh))
  // Other filters depend on media.
  if (filter !== 'posts_no_replies' && filter !== 'posts_and_author_threads') return undefined
  const shown = itemsOf(fresh).filter(({ post, reason }) => reason || post.record.reply === undefined)
  return withItems(response, shown)
}

/** Puts items at their places by time, after a pinned post. Items older than the page belong to a later one. */
function withItems(response: Json, items: readonly Item[]): Json | undefined {
  const { feed: shown, cursor } = response
  if (!Array.isArray(shown) || !shown.every(isItem)) return undefined
  const known = new Set(shown.map(keyOf))
  const feed = [...shown]
  for (const item of items.filter((each) => !known.has(keyOf(each)))) {
    const later = feed.findIndex((other) => timeOf(other) < timeOf(item))
    if (later >= 0) feed.splice(later, 0, item)
    else if (cursor === undefined) feed.push(item)
  }
  return { ...response, feed }
}

const keyOf = ({ post, reason }: Item) => `${post.uri} ${isObject(reason?.by) ? reason.by.did : ''}`

/** Returns the time at which the post was written or reposted, in milliseconds. A pinned post comes first. */
function timeOf({ post, reason }: Item): number {
  if (!reason) return Date.parse(post.indexedAt)
  return isString(reason.indexedAt) ? Date.parse(reason.indexedAt) : Number.POSITIVE_INFINITY
}

function mergePosts(response: Json, fresh: FreshWrites, params: URLSearchParams): Json | undefined {
  const { posts } = response
  if (!Array.isArray(posts) || !posts.every(isPost)) return undefined
  const known = new Set(posts.map(({ uri }) => uri))
  const asked = params.getAll('uris')
  const missing = postsOf(fresh).filter(({ uri }) => asked.includes(uri) && !known.has(uri))
  return { ...response, posts: [...posts, ...missing] }
}

/** The properties that an edit of a profile changes. */
const editable = ['displayName', 'description', 'pronouns', 'website', 'avatar', 'banner', 'pinnedPost']

function mergeProfile(response: Json, fresh: FreshWrites): Json | undefined {
  if (!fresh.names.includes(String(response.did))) return undefined
  const { profile } = fresh
  if (!isObject(profile)) return undefined
  const edited = { ...response }
  for (const name of editable) edited[name] = profile[name]
  return edited
}

function mergeProfiles(response: Json, fresh: FreshWrites): Json | undefined {
  const { profiles } = response
  if (!Array.isArray(profiles) || !profiles.every(isObject)) return undefined
  return { ...response, profiles: profiles.map((profile) => mergeProfile(profile, fresh) ?? profile) }
}
