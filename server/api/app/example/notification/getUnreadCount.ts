import { app } from '../../../../../lexicons/generated/index.ts'
import { preferencesOf, wantedBy } from '../../../../app/notifications/preferences.ts'
import { seenMarker } from '../../../../app/notifications/seen-marker.ts'
import { countUnread } from '../../../../app/tables/notifications.ts'
import { method } from '../../../method.ts'

export const getUnreadCount = method(app.example.notification.getUnreadCount, {
  auth: 'access',
  handler({ params, auth, store }) {
    const wanted = wantedBy(preferencesOf(store, auth.did), 'list', params)
    const seenAt = params.seenAt === undefined ? undefined : seenMarker(params.seenAt)
    return { count: countUnread(store, auth.did, wanted, seenAt) }
  },
})
