import { app } from '../../../../../lexicons/generated/index.ts'
import { groupViews } from '../../../../app/notifications/group-views.ts'
import { filterOf, groupsOf } from '../../../../app/notifications/groups.ts'
import { preferencesOf, wantedBy } from '../../../../app/notifications/preferences.ts'
import * as notifications from '../../../../app/tables/notifications.ts'
import { loadActors } from '../../../../app/views/load/actors.ts'
import type { ViewContext } from '../../../../app/views/load/context.ts'
import { relationTo } from '../../../../app/views/load/relations.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import { decodeCursor, encodeCursor } from '../../../../platform/xrpc/cursor.ts'
import { firstPage } from '../../../../platform/xrpc/page-size.ts'
import type { Reader } from '../../../../store/database.ts'
import { method } from '../../../method.ts'

type Notification = notifications.Notification

/** Notifications that are read for each group of a page, at most. */
const perGroup = 10
/** Notifications that are read at once: their records may be large. */
const chunk = 100

export const getGroupedNotifications = method(app.example.notification.getGroupedNotifications, {
  auth: 'access',
  handler({ params, auth, caller, store, app: { viewContext }, fail }) {
    const { did } = auth
    const { limit = 30, cursor, feed = 'all' } = params
    const before = cursor ? Number(decodeCursor(cursor, 1)?.[0]) : undefined
    if (before !== undefined && !Number.isSafeInteger(before))
      throw fail('InvalidRequest', 'Malformed cursor')
    const wanted = wantedBy(preferencesOf(store, did), 'list', filterOf(feed))
    const { found, hasMore } = read(store, { did, wanted, before, most: limit * perGroup })
    const ctx = viewContext(caller.origin, did)
    const isFollowBack = followBacks(ctx, found)
    const { groups, used } = groupsOf(found, { limit, feed, isFollowBack })
    const last = hasMore || used.length < found.length ? used.at(-1) : undefined
    return {
      cursor: last && encodeCursor(String(last.id)),
      ...groupViews(ctx, groups, { seenAt: notifications.seenAt(store, did), isFollowBack }),
      seenAt: notifications.givenSeenAt(store, did),
    }
  },
})

interface Wanted {
  readonly did: string
  readonly wanted: notifications.Wanted
  readonly before: number | undefined
  readonly most: number
}

/** Reads notifications, newest first, fewer when their records are large. */
function read(db: Reader, { most, before, ...of }: Wanted): { found: Notification[]; hasMore: boolean } {
  const found: Notification[] = []
  for (;;) {
    const rows = notifications.page(db, { ...of, before: found.at(-1)?.id ?? before, limit: chunk + 1 })
    found.push(...rows.slice(0, chunk))
    const shown = firstPage(found, most)
    if (shown.length < found.length) return { found: shown, hasMore: true }
    if (rows.length <= chunk) return { found, hasMore: false }
  }
}

/** Returns whether a follow is by an account that the viewer followed before. Keys of records grow with time. */
function followBacks(ctx: ViewContext, found: readonly Notification[]) {
  const follows = found.filter(({ reason }) => reason === 'follow')
  const ids = graph.actorIds(
    ctx.db,
    follows.map(({ author }) => author),
  )
  loadActors(ctx, ids.values())
  return ({ reason, author, rkey }: Notification): boolean => {
    const id = reason === 'follow' ? ids.get(author) : undefined
    const following = id === undefined ? undefined : relationTo(ctx, id).following
    return following !== undefined && following.slice(following.lastIndexOf('/') + 1) < rkey
  }
}
