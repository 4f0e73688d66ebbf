/** What is pushed: the notifications that an account wants pushed, as they are shown, while it is active. */

import type { app } from '../../lexicons/generated/index.ts'
import { statusOf } from '../accounts/status.ts'
import type { Config } from '../config/config.ts'
import type { NotificationEvents } from '../notifications/events.ts'
import { preferencesOf, wantedBy } from '../notifications/preferences.ts'
import { notificationViews } from '../notifications/view.ts'
import type { Database } from '../store/database.ts'
import { findByDid } from '../store/tables/accounts.ts'
import * as notifications from '../store/tables/notifications.ts'

interface Deps {
  readonly config: Config
  readonly store: Database
  readonly notifications: NotificationEvents
}

export interface Push {
  readonly did: string
  readonly notification: app.example.notification.listNotifications.Notification
  /** The count that getUnreadCount answers now. */
  readonly unreadCount: number
}

type ReadDeps = Pick<Deps, 'store' | 'config'>

/**
 * Tells of what arrives for an account and is to be pushed, whether or not any device is registered: the desktop shows it.
 * It is on disk by then.
 * @returns a function that ends it
 */
export function watchPushes(
  services: ReadDeps & Pick<Deps, 'notifications'>,
  did: string,
  listener: (push: Push) => void,
): () => void {
  return services.notifications.subscribe((arrivals) => {
    for (const push of arrivedPushes(services, did, arrivals)) listener(push)
  })
}

/** What is pushed to an account of the notifications that arrived together, the oldest first. */
export function arrivedPushes(services: ReadDeps, did: string, arrivals: notifications.Arrivals): Push[] {
  const { store } = services
  const pushes = pushesOf(services, did, (wanted) => notifications.arrived(store, { did, wanted, arrivals }))
  return pushes.toReversed()
}

/** What is pushed for one notification; undefined when it is not, or no longer. */
export function pushOf(services: ReadDeps, did: string, id: number): Push | undefined {
  const [push] = pushesOf(services, did, (wanted) => {
    const found = notifications.findWanted(services.store, { did, wanted, id })
    return found ? [found] : []
  })
  return push
}

function pushesOf(
  { store, config }: ReadDeps,
  did: string,
  find: (wanted: notifications.Wanted) => readonly notifications.Notification[],
): Push[] {
  const account = findByDid(store, did)
  if (!account || statusOf(account)) return []
  const preferences = preferencesOf(store, did)
  const found = find(wantedBy(preferences, 'push'))
  if (found.length === 0) return []
  const unreadCount = notifications.countUnread(store, did, wantedBy(preferences, 'list'))
  const views = notificationViews(store, config.aliases, found, notifications.seenAt(store, did))
  return views.map((notification) => ({ did, notification, unreadCount }))
}
