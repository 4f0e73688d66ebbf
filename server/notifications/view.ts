/** Notifications as they are shown. */
import { isPlainObject, type LexMap } from '@atproto/lex-data'
import { isDatetimeString } from '@atproto/syntax'
import type { app, com } from '../../lexicons/generated/index.ts'
import { type Aliases, canonicalNsid } from '../aliases.ts'
import { profileOf } from '../records/profiles.ts'
import { recordUri } from '../records/repositories.ts'
import { recordJson } from '../records/view.ts'
import type { Reader } from '../store/database.ts'
import type { Notification } from '../store/notifications.ts'

type NotificationView = app.example.notification.listNotifications.Notification
type ProfileView = app.example.actor.defs.ProfileViewBasic
type Label = com.core.label.defs.Label

/** @param seenAt what arrived until then is read */
export function notificationViews(
  db: Reader,
  aliases: Aliases,
  notifications: readonly Notification[],
  seenAt: string | undefined,
): NotificationView[] {
  const profiles = new Map<string, ProfileView>()
  return notifications.map((notification) => {
    const { author: did, collection, rkey, cid, reason, reasonSubject, indexedAt } = notification
    const author = profiles.get(did) ?? profileOf(db, aliases, did)
    profiles.set(did, author)
    const uri = recordUri(did, collection, rkey)
    const record = recordJson(notification.bytes)
    return {
      uri,
      cid,
      author,
      reason,
      reasonSubject: reasonSubject ?? undefined,
      record,
      isRead: seenAt !== undefined && indexedAt <= seenAt,
      indexedAt,
      labels: selfLabels(record, aliases, (val) => ({
        src: did,
        uri,
        cid,
        val,
        cts: isDatetimeString(record.createdAt) ? record.createdAt : indexedAt,
      })),
    }
  })
}

/** The labels that the author put on a record (com.core.label.defs#selfLabels); undefined when there are none. */
function selfLabels(
  { labels }: LexMap,
  aliases: Aliases,
  toLabel: (val: string) => Label,
): Label[] | undefined {
  if (!isPlainObject(labels) || typeof labels.$type !== 'string' || !Array.isArray(labels.values))
    return undefined
  if (canonicalNsid(labels.$type, aliases) !== 'com.core.label.defs#selfLabels') return undefined
  const values: unknown[] = labels.values
  const found = values.flatMap((label) =>
    isPlainObject(label) && typeof label.val === 'string' ? [toLabel(label.val)] : [],
  )
  return found.length > 0 ? found : undefined
}
