/** Notification views, as listNotifications, the live stream and push return them. */
import type { app } from '../../../lexicons/generated/index.ts'
import * as graph from '../../federation/tables/graph.ts'
import { recordUri } from '../../repository/records/record-uri.ts'
import { recordJson } from '../../repository/records/record-view.ts'
import { withOwnTypes } from '../../repository/records/rename.ts'
import type { Notification } from '../tables/notifications.ts'
import { loadActors } from '../views/load/actors.ts'
import type { ViewContext } from '../views/load/context.ts'
import { selfLabels } from '../views/show/labels.ts'
import { profileView } from '../views/show/profiles.ts'

type NotificationView = app.example.notification.listNotifications.Notification

/** Renders notifications. @param seenAt the seen marker: notifications up to it are read */
export function notificationViews(
  ctx: ViewContext,
  notifications: readonly Notification[],
  seenAt: string | undefined,
): NotificationView[] {
  const authors = graph.actorIds(
    ctx.db,
    notifications.map(({ author }) => author),
  )
  loadActors(ctx, authors.values())
  return notifications.flatMap(
    ({ author, collection, rkey, cid, reason, reasonSubject, indexedAt, bytes }) => {
      const actor = authors.get(author)
      if (actor === undefined) return []
      const uri = recordUri(author, collection, rkey)
      const record = recordJson(bytes)
      const labels = selfLabels(withOwnTypes(record, ctx.names), { did: author, uri, cid, indexedAt })
      return {
        uri,
        cid,
        author: profileView(ctx, actor),
        reason,
        reasonSubject: reasonSubject ?? undefined,
        record,
        isRead: seenAt !== undefined && indexedAt <= seenAt,
        indexedAt,
        labels: labels.length > 0 ? labels : undefined,
      }
    },
  )
}
