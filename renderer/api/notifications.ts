/**
 * Notifications of the current account as cached pages. New ones are prepended to the first page, because refetching would
 * request every page that was scrolled through.
 */
import {
  type InfiniteData,
  type QueryClient,
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
/** A seen marker that marks nothing as read. */
const epoch = '1970-01-01T00:00:00.000Z'

/** The stream keeps the count up to date. */
export function useUnreadCount(): number {
  const { did, status } = useSession()
  const { data } = useQuery({
    queryKey: keyOf(did, getUnreadCount, {}),
    queryFn: ({ signal }) => callAs(did, getUnreadCount, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: status !== 'takendown',
  })
  return data?.count ?? 0
}

export function keyOfNotification({ reason, uri }: Notification): string {
  return `${reason} ${uri}`
}

/** @param reasons the reasons to list; all if empty */
export function useNotifications(reasons: readonly string[]) {
  const { did } = useSession()
  return useInfiniteQuery({
    queryKey: [...keyOf(did, listNotifications), reasons],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readPage(did, reasons, pageParam, signal),
    getNextPageParam: ({ cursor }) => cursor,
    staleTime: Number.POSITIVE_INFINITY,
    // Comparing thousands of items for each new page costs more than it saves.
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

/** Prepends a notification to the lists that it belongs to. */
export function addNotification(client: QueryClient, did: string, added: Notification): void {
  for (const { queryKey, promise, state } of listsOf(client, did)) {
    const reasons = reasonsOf(queryKey)
    if (reasons.length > 0 && !reasons.includes(added.reason)) continue
    const add = () =>
      client.setQueryData<Pages>(queryKey, (cached) => cached && withNotification(cached, added))
    add()
    // A response in flight may predate the notification: add it again afterwards.
    const reading = state.fetchStatus === 'fetching' ? promise : undefined
    void Promise.allSettled([reading, refreshing]).then(add)
  }
}

function withNotification(cached: Pages, added: Notification): Pages {
  const [first, ...rest] = cached.pages
  const key = keyOfNotification(added)
  if (!first || first.notifications.some((one) => keyOfNotification(one) === key)) return cached
  const notifications = [added, ...first.notifications]
  return { ...cached, pages: [{ ...first, notifications }, ...rest] }
}

let refreshing: Promise<unknown> = Promise.resolve()

interface Present {
  /** The present unread count. */
  readonly unread: number
  /** The time from which on a list is up to date if it has as many. */
  readonly since: number
}

/** Refreshes the lists after a change that the stream does not describe: visible lists now, others when shown. */
export function refreshLists(client: QueryClient, did: string, present?: Present): Promise<unknown> {
  refreshing = refreshing.then(() => refresh(client, did, present))
  return refreshing
}

async function refresh(client: QueryClient, did: string, present: Present | undefined): Promise<void> {
  client.removeQueries({ queryKey: keyOf(did, listNotifications), type: 'inactive' })
  const refreshed = listsOf(client, did).map(async (list) => {
    const { queryKey } = list
    if (list.state.fetchStatus === 'fetching') await list.promise
    if (present && list.state.dataUpdatedAt >= present.since && unreadIn(list) === present.unread) return
    const newest = await readPage(did, reasonsOf(queryKey))
    client.setQueryData<Pages>(queryKey, (cached) => cached && withNewestPage(cached, newest))
  })
  // A failed refresh is repeated with the next change.
  await Promise.allSettled(refreshed)
}

/** The number of all unread notifications, if a list has them in its first page. */
function unreadIn({ queryKey, state }: ReturnType<typeof listsOf>[number]): number | undefined {
  const [first] = (state.data as Pages | undefined)?.pages ?? []
  if (!first || reasonsOf(queryKey).length > 0) return undefined
  const isComplete = first.cursor === undefined || first.notifications.some(({ isRead }) => isRead)
  return isComplete ? first.notifications.filter(({ isRead }) => !isRead).length : undefined
}

function listsOf(client: QueryClient, did: string) {
  return client.getQueryCache().findAll({ queryKey: keyOf(did, listNotifications) })
}

function reasonsOf(queryKey: readonly unknown[]): readonly string[] {
  return queryKey.at(-1) as readonly string[]
}

/** Merges the newest page into cached pages. Returns only the newest page if the cache is empty or leaves a gap. */
export function withNewestPage(cached: Pages, newest: Page): Pages {
  const [first, ...rest] = cached.pages
  const latest = first?.notifications[0]
  const oldest = newest.notifications.at(-1)
  const isAll = newest.cursor === undefined || !oldest
  if (isAll || !first || !latest || latest.indexedAt < oldest.indexedAt) {
    return { pages: [newest], pageParams: [undefined] }
  }
  const older = (page: Page): Page => {
    const notifications = page.notifications.filter((one) => one.indexedAt < oldest.indexedAt)
    return withReadState({ ...page, notifications }, newest.seenAt)
  }
  const { notifications } = older(first)
  const updated = {
    ...first,
    seenAt: newest.seenAt,
    notifications: [...newest.notifications, ...notifications],
  }
  return { ...cached, pages: [updated, ...rest.map(older)] }
}

/** A page with `isRead` set by `seenAt`; the same object if nothing changes. */
function withReadState(page: Page, seenAt: string | undefined): Page {
  const isRead = (one: Notification) => seenAt !== undefined && one.indexedAt <= seenAt
  if (page.notifications.every((one) => one.isRead === isRead(one))) return page
  const notifications = page.notifications.map((one) =>
    one.isRead === isRead(one) ? one : { ...one, isRead: isRead(one) },
  )
  return { ...page, notifications }
}

/** Moves the seen marker optimistically; rolls back on failure. */
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
      client.setQueriesData<Pages>({ queryKey: lists }, (cached) => cached && withSeenAt(cached, seenAt))
      return { before, marker: before[0]?.[1]?.pages[0]?.seenAt ?? epoch }
    },
    onSuccess: (_, __, { marker }) => effects.onSuccess(marker),
    onError: (error, _, context) => {
      for (const [key, pages] of context?.before ?? []) client.setQueryData(key, pages)
      effects.onError(error)
    },
    onSettled: () => client.invalidateQueries({ queryKey: count }),
  })
}

function withSeenAt(cached: Pages, seenAt: string): Pages {
  const pages = cached.pages.map((page) =>
    withReadState({ ...page, seenAt: seenAt as Notification['indexedAt'] }, seenAt),
  )
  return { ...cached, pages }
}
