/**
 * Reads posts with everything that views show of them, in a few queries for a whole page: the records that they embed and answer,
 * their authors, counts, the viewer's likes, gates. The views then read from memory.
 *
 * Records may be stored without validation, and clients reject invalid responses: an invalid post counts as none.
 */
import { type AtUriString, isAtUriString } from '@atproto/syntax'
import { app } from '../../../../lexicons/generated/index.ts'
import type { RecordRow } from '../../../federation/tables/graph.ts'
import * as graph from '../../../federation/tables/graph.ts'
import { paths } from '../../../repository/format/link-paths.ts'
import { bookmarked } from '../../tables/bookmarks.ts'
import * as postLinks from '../../tables/post-links.ts'
import * as viewRecords from '../../tables/view-records.ts'
import { loadActorsOf } from './actors.ts'
import type { ViewContext } from './context.ts'
import { loadGates } from './gates.ts'
import type { Responses } from './loaded.ts'
import type { ViewRecord } from './records.ts'

const postSchema = app.example.feed.post
const { record: recordEmbed, recordWithMedia } = app.example.embed

/** A valid post of an active author. */
export type Post = ViewRecord<app.example.feed.post.Main>

/** Parses a record; undefined if it is no valid post. */
function readPost(ctx: ViewContext, row: RecordRow): Post | undefined {
  if (ctx.names.own(row.collection) !== postSchema.$type) return undefined
  return ctx.records.read(postSchema.main, row)
}

/** The name under which posts are stored. */
export const postCollection = ({ names }: Pick<ViewContext, 'names'>) => names.stored(postSchema.$type)

/** Returns the valid posts among the records, in the order of `ids`. */
export function postsById(ctx: ViewContext, ids: readonly number[]): Post[] {
  const posts = new Map<number, Post>()
  for (const row of viewRecords.recordsById(ctx.db, ids)) {
    const post = readPost(ctx, row)
    if (!post) continue
    posts.set(row.id, post)
    ctx.posts.records.set(post.uri, row)
  }
  return ids.flatMap((id) => posts.get(id) ?? [])
}

/** Returns the valid posts at the URIs, each once. */
export function postsAt(ctx: ViewContext, uris: readonly string[]): Post[] {
  loadRecords(ctx, uris)
  return unique(uris.flatMap((uri) => postAt(ctx, uri) ?? []))
}

/** Returns the post at a URI. Reads it unless `loadRecords` has. */
export function postAt(ctx: ViewContext, uri: string): Post | undefined {
  const row = recordAt(ctx, uri)
  return row && readPost(ctx, row)
}

/** Returns the record at a URI. Reads it unless `loadRecords` has. */
export function recordAt(ctx: ViewContext, uri: string): RecordRow | undefined {
  if (!ctx.posts.records.has(uri)) loadRecords(ctx, [uri])
  return ctx.posts.records.get(uri)
}

/** Looks records up, for `recordAt` and `postAt`. */
export function loadRecords(ctx: ViewContext, uris: Iterable<string>): void {
  const missing = [...new Set(uris)].filter((uri) => !ctx.posts.records.has(uri))
  if (missing.length === 0) return
  const keys = missing.map((uri) => keyOf(ctx, uri) ?? noKey)
  const found = viewRecords.recordsByKey(ctx.db, keys)
  for (const [at, uri] of missing.entries()) ctx.posts.records.set(uri, found.get(at))
}

const noKey: viewRecords.RecordKey = ['', '', '']

/** Parses the URI of a record, whose authority may be a handle; undefined if malformed or unknown. */
export function keyOf({ db, names }: ViewContext, uri: string): viewRecords.RecordKey | undefined {
  if (!isAtUriString(uri)) return undefined
  const [authority = '', nsid, rkey] = uri.slice('at://'.length).split(/[/#]/)
  if (!nsid || !rkey) return undefined
  const did = authority.startsWith('did:') ? authority : graph.actorOfHandle(db, authority.toLowerCase())?.did
  if (did === undefined) return undefined
  return [did, rkey, names.stored(nsid)]
}

/** Returns the subject id of a URI, for queries over its links; 0 if there are none. */
export function subjectIdOf(ctx: ViewContext, uri: string): number {
  return postLinks.subjectId(ctx.db, keyOf(ctx, uri) ?? noKey)
}

/** URI of the record that a post embeds, alone or with media. */
export function embeddedUri({ value: { embed } }: Post): AtUriString | undefined {
  if (embed && recordEmbed.$isTypeOf(embed)) return embed.record.uri
  if (embed && recordWithMedia.$isTypeOf(embed)) return embed.record.record.uri
  return undefined
}

/** URI of the first post of a post's thread, as the post states it. */
export function rootUri({ uri, value }: Post): AtUriString {
  return value.reply?.root.uri ?? uri
}

/** First post of a post's thread, as the post states it; undefined if there is none. */
export function rootOf(ctx: ViewContext, post: Post): Post | undefined {
  return post.value.reply ? postAt(ctx, rootUri(post)) : post
}

/** Reads the rows for the views of these posts. @param withReplied also the rows for the views of their parents */
export function loadPosts(ctx: ViewContext, posts: readonly Post[], withReplied = false): void {
  loadRecords(ctx, posts.flatMap(referencesOf))
  const answered = posts.flatMap((post) => repliedTo(post).flatMap((uri) => postAt(ctx, uri) ?? []))
  const shown = withReplied ? [...posts, ...answered] : posts
  if (withReplied) loadRecords(ctx, answered.flatMap(repliedTo))
  // A post shows the post that it embeds, and that one the post that it embeds.
  const embedded = embeddedPosts(ctx, shown)
  const nested = embeddedPosts(ctx, embedded)
  const roots = rootsOf(ctx, [...answered, ...embedded, ...nested])
  const all = unique([...shown, ...answered, ...embedded, ...nested, ...roots])
  loadActorsOf(ctx, all)
  loadResponses(ctx, all)
  loadBlocks(
    ctx,
    all.flatMap((post) => pairsOf(ctx, post)),
  )
}

function referencesOf(post: Post): string[] {
  const embedded = embeddedUri(post)
  return embedded === undefined ? repliedTo(post) : [...repliedTo(post), embedded]
}

/** URIs of the root and the parent of a reply. */
function repliedTo({ value: { reply } }: Post): string[] {
  return reply ? [reply.root.uri, reply.parent.uri] : []
}

function embeddedPosts(ctx: ViewContext, posts: readonly Post[]): Post[] {
  const uris = posts.flatMap((post) => embeddedUri(post) ?? [])
  loadRecords(ctx, uris)
  return uris.flatMap((uri) => postAt(ctx, uri) ?? [])
}

function rootsOf(ctx: ViewContext, posts: readonly Post[]): Post[] {
  const replies = posts.filter(({ value }) => value.reply)
  loadRecords(ctx, replies.map(rootUri))
  return replies.flatMap((post) => rootOf(ctx, post) ?? [])
}

function unique(posts: readonly Post[]): Post[] {
  return [...new Map(posts.map((post) => [post.id, post])).values()]
}

const noResponses: Responses = {
  likes: 0,
  reposts: 0,
  replies: 0,
  quotes: 0,
  like: undefined,
  repost: undefined,
  isBookmarked: false,
  isThreadMuted: false,
}

export function responsesTo(ctx: ViewContext, post: Post): Responses {
  if (!ctx.posts.responses.has(post.id)) loadResponses(ctx, [post])
  return ctx.posts.responses.get(post.id) ?? noResponses
}

const memberOfPath = new Map<number, 'likes' | 'reposts' | 'replies' | 'quotes'>([
  [paths.like, 'likes'],
  [paths.repost, 'reposts'],
  [paths.reply, 'replies'],
  [paths.quote, 'quotes'],
])

/** Reads counts, the viewer's likes, reposts and bookmarks, and gates. */
function loadResponses(ctx: ViewContext, posts: readonly Post[]): void {
  const { db, viewer } = ctx
  const missing = posts.filter(({ id }) => !ctx.posts.responses.has(id))
  if (missing.length === 0) return
  const ids = missing.map(({ id }) => id)
  const collection = postCollection(ctx)
  const responses = new Map(ids.map((id) => [id, { ...noResponses }]))
  const gated = new Set<number>()
  for (const { record, path, count } of postLinks.countLinks(db, ids, collection)) {
    const member = memberOfPath.get(path)
    const of = responses.get(record)
    if (member && of) Object.assign(of, { [member]: count })
    else gated.add(record)
  }
  if (viewer !== undefined) {
    for (const { record, path, uri } of postLinks.linksBy(db, viewer, ids, collection)) {
      Object.assign(responses.get(record) ?? {}, path === paths.like ? { like: uri } : { repost: uri })
    }
    const roots = missing.map((post) => keyOf(ctx, rootUri(post)) ?? noKey)
    for (const at of postLinks.mutedThreads(db, viewer, roots)) {
      Object.assign(responses.get(ids[at] ?? 0) ?? {}, { isThreadMuted: true })
    }
    for (const id of bookmarked(db, viewer, ids)) {
      Object.assign(responses.get(id) ?? {}, { isBookmarked: true })
    }
  }
  for (const [id, of] of responses) ctx.posts.responses.set(id, of)
  loadGates(
    ctx,
    missing.filter(({ id }) => gated.has(id)),
  )
}

/** Whether either of two actors blocks the other, directly or by a list. Reads it unless `loadPosts` has. */
export function areBlocked(ctx: ViewContext, ...pair: postLinks.Pair): boolean {
  loadBlocks(ctx, [pair])
  return ctx.posts.blocks.get(pairKey(pair)) ?? false
}

function loadBlocks(ctx: ViewContext, pairs: readonly postLinks.Pair[]): void {
  const wanted = new Map(pairs.filter(([one, other]) => one !== other).map((pair) => [pairKey(pair), pair]))
  const missing = [...wanted].filter(([key]) => !ctx.posts.blocks.has(key))
  if (missing.length === 0) return
  const blocked = postLinks.blockedPairs(
    ctx.db,
    missing.map(([, pair]) => pair),
  )
  for (const [at, [key]] of missing.entries()) ctx.posts.blocks.set(key, blocked.has(at))
}

/** The author of a post, with the authors of embedded posts and of its parent. */
function pairsOf(ctx: ViewContext, post: Post): postLinks.Pair[] {
  const embedded = embeddedUri(post)
  const uris = embedded === undefined ? [] : [embedded]
  if (post.value.reply) uris.push(post.value.reply.parent.uri)
  return uris.flatMap((uri) => {
    const row = ctx.posts.records.get(uri)
    return row ? [[post.actor, row.actor] as const] : []
  })
}

const pairKey = ([one, other]: postLinks.Pair) => (one < other ? `${one} ${other}` : `${other} ${one}`)
