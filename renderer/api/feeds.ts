/**
 * The timeline of the current account as cached pages. New posts are counted, and shown when the person asks for them. No
 * action elsewhere invalidates the pages, because refetching would request every page that was scrolled through.
 */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { app } from '../../lexicons/generated/index.ts'
import { callAs } from './client.ts'
import {
  actorOf,
  type Page,
  type Pages,
  unknownItems,
  withNewest,
  withOwn,
  withoutDeleted,
} from './feed-pages.ts'
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
export function useNewPosts(cached: Pages | undefined): NewPosts {
  const { did } = useSession()
  const client = useQueryClient()
  const { data: newest } = useXrpcQuery(getTimeline, newestParams, {
    enabled: cached !== undefined,
    staleTime: freshMs,
    pollMs: () => pollMs,
  })
  const unknown = useMemo(() => {
    const items = cached && newest ? unknownItems(cached, newest) : []
    // The account's own posts are shown at once, and it has just seen what it reposts.
    return items.filter((item) => actorOf(item) !== did && !isRemoved(item.post.uri))
  }, [cached, newest, did])
  const change = (to: (pages: Pages, newest: Page) => Pages) => {
    if (newest) client.setQueryData<Pages>(timelineKey(did), (pages) => pages && to(pages, newest))
  }
  const isEmpty = cached?.pages.every(({ feed }) => feed.length === 0) ?? true
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each response
  useEffect(() => {
    if (isEmpty) change(withNewest)
    change((pages, latest) => withOwn(withoutDeleted(pages, latest, did), latest, did))
  }, [newest])
  return {
    count: isEmpty ? 0 : unknown.length,
    isCapped: newest?.cursor !== undefined && unknown.length === newest.feed.length,
    show: () => change(withNewest),
  }
}
