import { app } from '../../../../../lexicons/generated/index.ts'
import { notificationViews } from '../../../../app/notifications/notification-view.ts'
import { preferencesOf, wantedBy } from '../../../../app/notifications/preferences.ts'
import { seenMarker } from '../../../../app/notifications/seen-marker.ts'
import * as notifications from '../../../../app/tables/notifications.ts'
import { decodeCursor, encodeCursor } from '../../../../platform/xrpc/cursor.ts'
import { firstPage } from '../../../../platform/xrpc/page-size.ts'
import { method } from '../../../method.ts'

export const listNotifications = method(app.example.notification.listNotifications, {
  auth: 'access',
  handler({ params, auth, caller, store, app: { viewContext }, fail }) {
    const { did } = auth
    const { limit = 50, cursor, priority = false } = params
    const before = cursor ? Number(decodeCursor(cursor, 1)?.[0]) : undefined
    if (before !== undefined && !Number.isSafeInteger(before))
      throw fail('InvalidRequest', 'Malformed cursor')
    // A list in one value would match no reason.
    if (params.reasons?.some((reason) => reason.includes(',')))
      throw fail('InvalidRequest', 'Parameter reasons: repeat it for each reason instead of a comma')
    const given = params.seenAt === undefined ? undefined : seenMarker(params.seenAt)
    const wanted = wantedBy(preferencesOf(store, did), 'list', params)
    const found = notifications.page(store, {
      did,
      wanted,
      before,
      limit: limit + 1,
    })
    const shown = firstPage(found, limit)
    const last = found.length > shown.length ? shown.at(-1) : undefined
    return {
      cursor: last && encodeCursor(String(last.id)),
      notifications: notificationViews(
        viewContext(caller.origin, did),
        shown,
        given ?? notifications.seenAt(store, did),
      ),
      priority,
      seenAt: given ?? notifications.givenSeenAt(store, did),
    }
  },
})
