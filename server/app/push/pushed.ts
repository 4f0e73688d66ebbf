/** The notifications that are pushed to an account: its preferences allow them, and it is active. */

import type { app } from '../../../lexicons/generated/index.ts'
import type { Platform } from '../../platform/platform.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import { findByDid } from '../../store/tables/accounts.ts'
import { notificationViews } from '../notifications/notification-view.ts'
import { preferencesOf, wantedBy } from '../notifications/preferences.ts'
import * as notifications from '../tables/notifications.ts'
import type { CreateViewContext } from '../views/load/context.ts'

interface Deps extends Pick<Platform, 'store' | 'origin'> {
  readonly viewContext: CreateViewContext
}

export interface Push {
  readonly did: string
  readonly notification: app.example.notification.listNotifications.Notification
  /** The current result of getUnreadCount. */
  readonly unreadCount: number
}

/** Selects the pushes for an account from notifications that arrived together, oldest first. */
export function arrivedPushes(services: Deps, did: string, arrivals: notifications.Arrivals): Push[] {
  const { store } = services
  const pushes = pushesOf(services, did, (wanted) => notifications.arrived(store, { did, wanted, arrivals }))
  return pushes.toReversed()
}

/** Returns the push for one notification; undefined if it is deleted, or if preferences or account status exclude it. */
export function pushOf(services: Deps, did: string, id: number): Push | undefined {
  const [push] = pushesOf(services, did, (wanted) => {
    const found = notifications.findWanted(services.store, { did, wanted, id })
    return found ? [found] : []
  })
  return push
}

function pushesOf(
  { store, origin, viewContext }: Deps,
  did: string,
  find: (wanted: notifications.Wanted) => readonly notifications.Notification[],
): Push[] {
  const account = findByDid(store, did)
  if (!account || statusOf(account)) return []
  const preferences = preferencesOf(store, did)
  const found = find(wantedBy(preferences, 'push'))
  if (found.length === 0) return []
  const unreadCount = notifications.countUnread(store, did, wantedBy(preferences, 'list'))
  const views = notificationViews(viewContext(origin, did), found, notifications.seenAt(store, did))
  return views.map((notification) => ({ did, notification, unreadCount }))
}
