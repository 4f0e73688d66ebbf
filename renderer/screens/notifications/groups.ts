/** Groups notifications that one row can show: the likes of one post, new followers. */
import { parseAtUri, placeOf } from '../../api/at-uri.ts'
import { keyOfNotification, type Notification } from '../../api/notifications.ts'

/** Newest first, never empty. */
export type NotificationGroup = readonly [Notification, ...Notification[]]

const groupedReasons = new Set(['like', 'repost', 'like-via-repost', 'repost-via-repost', 'follow'])
const ownPostReasons = new Set(['mention', 'reply', 'quote', 'subscribed-post'])

/** @param notifications of one day, newest first. A group stands where its newest one is. */
export function groupsOf(notifications: readonly Notification[]): readonly NotificationGroup[] {
  return [...Map.groupBy(notifications, keyOfGroup).values()] as unknown as readonly NotificationGroup[]
}

export function keyOfGroup(notification: Notification): string {
  const { reason, reasonSubject } = notification
  if (!groupedReasons.has(reason)) return keyOfNotification(notification)
  return `${reason} ${reasonSubject ? placeOf(reasonSubject) : ''}`
}

export function isSameGroup(a: readonly Notification[], b: readonly Notification[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index])
}

/** The AT URI of the post that a notification is about: its own, or the one that was liked or reposted. */
export function postOf({ reason, uri, record, reasonSubject }: Notification): string | undefined {
  if (ownPostReasons.has(reason)) return uri
  const { subject } = record as { readonly subject?: { readonly uri?: unknown } }
  const target = typeof subject?.uri === 'string' ? subject.uri : reasonSubject
  return target !== undefined && parseAtUri(target).collection.endsWith('.feed.post') ? target : undefined
}
