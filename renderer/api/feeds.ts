/**
 * The timeline of the current account as cached pages. New posts are counted, and shown when the person asks for them. No
 * action elsewhere invalidates the pages, because refetching would request every page that was scrolled through.
 */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { app } from '../../lexicons/generated/index.ts'
import { callAs } from './client.ts'
import { type FeedItem, type Pages, unknownItems, withNewest } from './feed-pages.ts'
import { keyOf, useXrpcQuery } from './hooks.ts'
import { isRemoved } from './removed-posts.ts'
import { useSession } from './sessions.ts'

const { getTimeline } = app.example.feed

const pageSize = 30
const newestParams = { limit: pageSize }
const pollMs = 60_000
/** The newest page is not requested again within this time, even if the window is shown again. */
const freshMs = 30_000

const timelineKey = (did: string) => ['timeline', did]

/** The timeline, newest first. */
export function useTimeline() {
  const { did } = useSession()
  const client = useQueryClient()
  const list = useInfiniteQuery({
    queryKey: timelineKey(did),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const page = await callAs(did, getTimeline, { params: { limit: pageSize, cursor }, signal })
      if (cursor === undefined) client.setQueryData(keyOf(did, getTimeline, newestParams), page)
      return page
    },
    getNextPageParam: ({ cursor }) => cursor,
    staleTime: Number.POSITIVE_INFINITY,
    // Comparing thousands of posts for each new page costs more than it saves.
    structuralSharing: false,
  })
  const pages = useMemo(() => list.data?.pages.map(({ feed }) => feed) ?? [], [list.data])
  return { ...list, pages }
}

interface NewPosts {
  readonly count: number
  /** Whether there may be more than were counted. */
  readonly isCapped: boolean
  show(): void
}

/** The posts that arrived since the timeline was read. The account's own are shown at once, and all if it was empty. */
export function useNewPosts(pages: readonly (readonly FeedItem[])[], isLoaded: boolean): NewPosts {
  const { did } = useSession()
  const client = useQueryClient()
  const { data: newest } = useXrpcQuery(getTimeline, newestParams, {
    enabled: isLoaded,
    staleTime: freshMs,
    pollMs: () => pollMs,
  })
  const unknown = useMemo(
    () => (newest ? unknownItems(pages, newest).filter(({ post }) => !isRemoved(post.uri)) : []),
    [pages, newest],
  )
  const show = () => {
    if (newest) client.setQueryData<Pages>(timelineKey(did), (cached) => cached && withNewest(cached, newest))
  }
  const isEmpty = pages.every(({ length }) => length === 0)
  const isOwn = unknown.every(({ post, reason }) => post.author.did === did && reason === undefined)
  const isShownAtOnce = isLoaded && unknown.length > 0 && (isEmpty || isOwn)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer
  useEffect(() => {
    if (isShownAtOnce) show()
  }, [isShownAtOnce, newest])
  return {
    count: isShownAtOnce ? 0 : unknown.length,
    isCapped: newest?.cursor !== undefined && unknown.length === newest.feed.length,
    show,
  }
}
