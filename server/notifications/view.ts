/** Notification views, as listNotifications, the live stream and push return them. */
import type { LexMap } from '@atproto/lex-data'
import { isDatetimeString } from '@atproto/syntax'
import { type app, com } from '../../lexicons/generated/index.ts'
import type { Aliases } from '../config/aliases.ts'
import { withCanonicalTypes } from '../records/prepare.ts'
import { profileOf } from '../records/profiles.ts'
import { recordUri } from '../records/record-uri.ts'
import { recordJson } from '../records/view.ts'
import type { Reader } from '../store/database.ts'
import type { Notification } from '../store/tables/notifications.ts'

type NotificationView = app.example.notification.listNotifications.Notification
type ProfileView = app.example.actor.defs.ProfileView
type Label = com.core.label.defs.Label

/** Renders notifications. @param seenAt the seen marker: notifications up to it are read */
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

/** Self-labels of a record; undefined if there are none or they violate their lexicon. */
function selfLabels(
  { labels }: LexMap,
  aliases: Aliases,
  toLabel: (val: string) => Label,
): Label[] | undefined {
  const result = com.core.label.defs.selfLabels.safeValidate(withCanonicalTypes(labels ?? null, aliases))
  return result.success && result.value.values.length > 0
    ? result.value.values.map(({ val }) => toLabel(val))
    : undefined
}
