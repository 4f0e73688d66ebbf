/**
 * Notifications of the account shown, as pages that are kept. What has arrived is put before the first page: reading all
 * pages again would ask for everything that has been scrolled through.
 */
import {
  type InfiniteData,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import { app } from '../../lexicons/generated/index.ts'
import { type Body, callAs } from './client.ts'
import { keyOf } from './hooks.ts'
import { useSession } from './sessions.ts'

const { listNotifications, getUnreadCount, updateSeen } = app.example.notification

type Page = Body<typeof listNotifications.main>
type Pages = InfiniteData<Page, string | undefined>
export type Notification = Page['notifications'][number]

const pageSize = 50
const everyMs = 10_000
/** Before anything was: a marker here takes nothing for read. */
const beforeAll = '1970-01-01T00:00:00.000Z'

/** The query of how many are unread, looked at now and then while the window is seen. */
export function unreadCountOf(did: string) {
  return queryOptions({
    queryKey: keyOf(did, getUnreadCount, {}),
    queryFn: ({ signal }) => callAs(did, getUnreadCount, { signal }),
    refetchInterval: everyMs,
  })
}

export function useUnreadCount(): number {
  const { did, status } = useSession()
  const { data } = useQuery({ ...unreadCountOf(did), enabled: status !== 'takendown' })
  return data?.count ?? 0
}

export function keyOfNotification({ reason, uri }: Notification): string {
  return `${reason} ${uri}`
}

/** @param reasons those wanted; all when there are none */
export function useNotifications(reasons: readonly string[]) {
  const { did } = useSession()
  const client = useQueryClient()
  const list = useInfiniteQuery({
    queryKey: [...keyOf(did, listNotifications), reasons],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readPage(did, reasons, pageParam, signal),
    getNextPageParam: ({ cursor }) => cursor,
    staleTime: Number.POSITIVE_INFINITY,
    // Pages are kept as they are; comparing ten thousand items at each new page would cost more than it saves.
    structuralSharing: false,
  })
  const unread = useUnreadCount()
  const isRead = list.isSuccess
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed count is what tells that there is news
  useEffect(() => {
    if (isRead) readNews(client, did, reasons).catch(() => {})
  }, [client, did, reasons, unread, isRead])
  return list
}

function readPage(
  did: string,
  reasons: readonly string[],
  cursor?: string,
  signal?: AbortSignal,
): Promise<Page> {
  const params = { limit: pageSize, cursor, ...(reasons.length > 0 ? { reasons: [...reasons] } : {}) }
  return callAs(did, listNotifications, { params, ...(signal ? { signal } : {}) })
}

async function readNews(client: QueryClient, did: string, reasons: readonly string[]): Promise<void> {
  const newest = await readPage(did, reasons)
  client.setQueryData<Pages>(
    [...keyOf(did, listNotifications), reasons],
    (kept) => kept && withNews(kept, newest),
  )
}

/** The kept pages with what is new before them; only the newest page when there is a gap between. */
export function withNews(kept: Pages, newest: Page): Pages {
  const [first] = kept.pages
  const latest = first?.notifications[0]
  if (!first || !latest) return { pages: [newest], pageParams: [undefined] }
  const at = newest.notifications.findIndex((one) => keyOfNotification(one) === keyOfNotification(latest))
  if (at < 0) return { pages: [newest], pageParams: [undefined] }
  const news = newest.notifications.slice(0, at)
  const updated = { ...first, seenAt: newest.seenAt, notifications: [...news, ...first.notifications] }
  const pages = [updated, ...kept.pages.slice(1)].map((page) => marked(page, newest.seenAt))
  return { ...kept, pages }
}

/** A page as it is once everything until `seenAt` has been seen; the same one when that changes nothing. */
function marked(page: Page, seenAt: string | undefined): Page {
  const isRead = (one: Notification) => seenAt !== undefined && one.indexedAt <= seenAt
  if (page.notifications.every((one) => one.isRead === isRead(one))) return page
  const notifications = page.notifications.map((one) =>
    one.isRead === isRead(one) ? one : { ...one, isRead: isRead(one) },
  )
  return { ...page, notifications }
}

/** Moves the seen marker, at once on the screen, and back when the server refuses. */
export function useSeenMarker(effects: { onSuccess(before: string): void; onError(error: Error): void }) {
  const { did } = useSession()
  const client = useQueryClient()
  const lists = keyOf(did, listNotifications)
  const count = keyOf(did, getUnreadCount)
  return useMutation({
    mutationFn: (seenAt: string) =>
      callAs(did, updateSeen, { body: { seenAt: seenAt as Notification['indexedAt'] } }),
    onMutate: async (seenAt) => {
      await client.cancelQueries({ queryKey: count })
      const before = client.getQueriesData<Pages>({ queryKey: lists })
      client.setQueriesData<Pages>({ queryKey: lists }, (kept) => kept && moved(kept, seenAt))
      return { before, marker: before[0]?.[1]?.pages[0]?.seenAt ?? beforeAll }
    },
    onSuccess: (_, __, { marker }) => effects.onSuccess(marker),
    onError: (error, _, context) => {
      for (const [key, pages] of context?.before ?? []) client.setQueryData(key, pages)
      effects.onError(error)
    },
    onSettled: () => client.invalidateQueries({ queryKey: count }),
  })
}

function moved(kept: Pages, seenAt: string): Pages {
  const pages = kept.pages.map((page) =>
    marked({ ...page, seenAt: seenAt as Notification['indexedAt'] }, seenAt),
  )
  return { ...kept, pages }
}
