/**
 * Search in posts. There is no full-text index: posts are read from the newest to the oldest until a page is full or the time is
 * used up, and the cursor says where the next call continues.
 */
import { realElapsed } from '../../../util/deadlines.ts'
import { yieldToEventLoop } from '../../../util/timers.ts'
import * as feed from '../../tables/feed.ts'
import * as viewRecords from '../../tables/view-records.ts'
import { isPostHidden } from '../filter/posts.ts'
import type { ViewContext } from '../load/context.ts'
import { loadPosts, type Post, postsById, responsesTo } from '../load/posts.ts'
import { loadRelations } from '../load/relations.ts'
import { feedCursor, readFeedPage } from './feed-pages.ts'
import { actorIdByIdentifier } from './named.ts'
import { matcherOf } from './post-match.ts'
import type { PostQuery } from './post-query.ts'

interface Found {
  readonly posts: readonly Post[]
  /** Where the next page begins; undefined after the last one. */
  readonly next: feed.FeedPosition | undefined
}

/** Posts that are read at once. */
const sliceSize = 1000
/** Milliseconds of a search. Other requests are answered between two slices. */
const maxTime = 250

/** The parameters of a page. */
interface SearchParams {
  readonly sort?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Returns a page of matching posts. */
export async function searchPage(ctx: ViewContext, query: PostQuery, params: SearchParams) {
  const { limit, before } = readFeedPage(params)
  if (params.sort === 'top') {
    // The ranking has one page.
    const posts = params.cursor ? [] : await topPosts(ctx, query)
    return { posts: posts.slice(0, limit), cursor: undefined }
  }
  const { posts, next } = await searchPosts(ctx, query, { before, limit })
  return { cursor: next && feedCursor(next), posts }
}

/** Finds posts, the newest first. A page may be shorter than `limit` when the time is used up. */
async function searchPosts(
  ctx: ViewContext,
  query: PostQuery,
  { before, limit }: feed.Slice,
): Promise<Found> {
  const authors = query.any.authors?.flatMap((identifier) => actorIdByIdentifier(ctx, identifier) ?? [])
  if (authors?.length === 0) return { posts: [], next: undefined }
  // Posts of several authors are found among those of all.
  const author = authors?.length === 1 ? authors[0] : undefined
  const matches = matcherOf(ctx, query)
  const found: { readonly post: Post; readonly entry: feed.FeedEntry }[] = []
  const end = realElapsed() + maxTime
  for (let last = before; ; await yieldToEventLoop()) {
    const slice = { before: last, limit: sliceSize }
    const entries =
      author === undefined ? feed.postsOfAll(ctx.db, slice) : feed.entriesBy(ctx.db, author, 'all', slice)
    const byId = new Map(entries.filter((each) => isWithin(query, each)).map((each) => [each.record, each]))
    const read = candidates(ctx, query, [...byId.keys()])
    if (query.isFollowed)
      loadRelations(
        ctx,
        read.map(({ actor }) => actor),
      )
    const posts = read.filter(matches)
    loadPosts(ctx, posts)
    for (const post of posts.filter((each) => !isPostHidden(ctx, each))) {
      const entry = byId.get(post.id)
      if (entry) found.push({ post, entry })
    }
    const shown = found.slice(0, limit).map(({ post }) => post)
    if (found.length > limit) return { posts: shown, next: found[limit - 1]?.entry }
    if (entries.length < sliceSize) return { posts: shown, next: undefined }
    last = entries.at(-1) ?? last
    if (realElapsed() > end) return { posts: shown, next: last }
  }
}

function isWithin(
  { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: PostQuery,
  { sortAt }: feed.FeedEntry,
) {
  return sortAt >= since && sortAt < until
}

/** Reads the posts that may match. */
function candidates(ctx: ViewContext, { terms, tags }: PostQuery, ids: readonly number[]): Post[] {
  // SQLite compares ASCII letters in both cases, and no others.
  const [longest] = [...terms, ...tags]
    .filter((term) => /^[\x20-\x7e]+$/.test(term))
    .sort((a, b) => b.length - a.length)
  return postsById(ctx, longest === undefined ? ids : viewRecords.recordsWith(ctx.db, ids, longest))
}

/** Posts among which the most liked are found. */
const maxRanked = 200

/** Finds the posts that were liked and reposted most, among the newest. */
async function topPosts(ctx: ViewContext, query: PostQuery): Promise<Post[]> {
  const { posts } = await searchPosts(ctx, query, { before: feed.newest, limit: maxRanked })
  const weight = (post: Post) => responsesTo(ctx, post).likes + responsesTo(ctx, post).reposts
  return posts.toSorted((a, b) => weight(b) - weight(a) || b.id - a.id)
}
