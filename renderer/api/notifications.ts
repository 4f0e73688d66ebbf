/**
 * Notifications of the account shown, as pages that are kept. What arrives is put before the first page: reading all pages
 * again would ask for everything that has been scrolled through.
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
import { app } from '../../lexicons/generated/index.ts'
import { type Body, callAs } from './client.ts'
import { keyOf } from './hooks.ts'
import { useSession } from './sessions.ts'

const { listNotifications, getUnreadCount, updateSeen } = app.example.notification

type Page = Body<typeof listNotifications.main>
type Pages = InfiniteData<Page, string | undefined>
export type Notification = Page['notifications'][number]

const pageSize = 50
/** Before anything was: a marker here takes nothing for read. */
const beforeAll = '1970-01-01T00:00:00.000Z'

/** The query of how many are unread. The stream keeps it up to date for the account shown. */
export function unreadCountOf(did: string) {
  return queryOptions({
    queryKey: keyOf(did, getUnreadCount, {}),
    queryFn: ({ signal }) => callAs(did, getUnreadCount, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
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
  return useInfiniteQuery({
    queryKey: [...keyOf(did, listNotifications), reasons],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readPage(did, reasons, pageParam, signal),
    getNextPageParam: ({ cursor }) => cursor,
    staleTime: Number.POSITIVE_INFINITY,
    // Pages are kept as they are; comparing ten thousand items at each new page would cost more than it saves.
    structuralSharing: false,
  })
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

/** Puts what has arrived before the lists that it belongs to. */
export function addNotification(client: QueryClient, did: string, arrived: Notification): void {
  for (const { queryKey, promise, state } of listsOf(client, did)) {
    const reasons = reasonsOf(queryKey)
    if (reasons.length > 0 && !reasons.includes(arrived.reason)) continue
    const add = () => client.setQueryData<Pages>(queryKey, (kept) => kept && withArrival(kept, arrived))
    add()
    // What is being read may have been answered before it arrived.
    const reading = state.fetchStatus === 'fetching' ? promise : undefined
    void Promise.allSettled([reading, refreshing]).then(add)
  }
}

function withArrival(kept: Pages, arrived: Notification): Pages {
  const [first, ...rest] = kept.pages
  const key = keyOfNotification(arrived)
  if (!first || first.notifications.some((one) => keyOfNotification(one) === key)) return kept
  const notifications = [arrived, ...first.notifications]
  return { ...kept, pages: [{ ...first, notifications }, ...rest] }
}

let refreshing: Promise<unknown> = Promise.resolve()

/** Brings the lists up to date after what the stream does not tell in full: those that are shown now, others when they are. */
export function refreshLists(client: QueryClient, did: string): Promise<unknown> {
  refreshing = refreshing.then(() => refresh(client, did))
  return refreshing
}

async function refresh(client: QueryClient, did: string): Promise<void> {
  client.removeQueries({ queryKey: keyOf(did, listNotifications), type: 'inactive' })
  const refreshed = listsOf(client, did).map(async ({ queryKey, promise, state }) => {
    if (state.fetchStatus === 'fetching') await promise
    const newest = await readPage(did, reasonsOf(queryKey))
    client.setQueryData<Pages>(queryKey, (kept) => kept && withNews(kept, newest))
  })
  // One that cannot be read now is brought up to date with the next news.
  await Promise.allSettled(refreshed)
}

function listsOf(client: QueryClient, did: string) {
  return client.getQueryCache().findAll({ queryKey: keyOf(did, listNotifications) })
}

function reasonsOf(queryKey: readonly unknown[]): readonly string[] {
  return queryKey.at(-1) as readonly string[]
}

/** The kept pages with the newest one in its place before them; only the newest when there is nothing, or a gap, between. */
export function withNews(kept: Pages, newest: Page): Pages {
  const [first, ...rest] = kept.pages
  const latest = first?.notifications[0]
  const oldest = newest.notifications.at(-1)
  const isAll = newest.cursor === undefined || !oldest
  if (isAll || !first || !latest || latest.indexedAt < oldest.indexedAt) {
    return { pages: [newest], pageParams: [undefined] }
  }
  const older = (page: Page): Page => {
    const notifications = page.notifications.filter((one) => one.indexedAt < oldest.indexedAt)
    return marked({ ...page, notifications }, newest.seenAt)
  }
  const { notifications } = older(first)
  const updated = {
    ...first,
    seenAt: newest.seenAt,
    notifications: [...newest.notifications, ...notifications],
  }
  return { ...kept, pages: [updated, ...rest.map(older)] }
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
