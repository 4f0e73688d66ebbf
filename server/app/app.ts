/** Creates the parts that clients read: notifications, their live stream, views. */
import type { Federation } from '../federation/federation.ts'
import type { Platform } from '../platform/platform.ts'
import { combineListeners, type RecordListener } from '../repository/records/events.ts'
import { linkListener } from '../repository/records/link-listener.ts'
import { blockListener } from './notifications/block-listener.ts'
import { createNotificationEvents, type NotificationEvents } from './notifications/events.ts'
import { finishFanOuts } from './notifications/fan-out.ts'
import { createLive, type LiveNotifications } from './notifications/live.ts'
import { createRecordListener, createSilentListener } from './notifications/record-listener.ts'
import { type CreateViewContext, createViewContexts } from './views/context.ts'

/** Stores what records refer to, and notifies of them. */
export interface Notifier {
  readonly notifications: NotificationEvents
  /** For records that may notify. */
  readonly notifying: RecordListener
  /** For records that were written before anybody here could be interested. */
  readonly silent: RecordListener
}

export interface App {
  readonly live: LiveNotifications
  readonly viewContext: CreateViewContext
}

export function createNotifier(platform: Platform): Notifier {
  const { names, store, now, background } = platform
  const notifications = createNotificationEvents()
  const onMoreSubscribers = () => notifySubscribers({ store, notifications, now, background })
  return {
    notifications,
    notifying: combineListeners(
      linkListener,
      blockListener,
      createRecordListener({ names, events: notifications, onMoreSubscribers }),
    ),
    silent: combineListeners(linkListener, blockListener, createSilentListener({ names })),
  }
}

export function createApp(
  { names, store, now, log, origin }: Platform,
  { notifications }: Notifier,
  { actorRefresh, transientActors }: Pick<Federation, 'actorRefresh' | 'transientActors'>,
): App {
  const viewContext = createViewContexts({
    ...{ store, names, now },
    refreshSoon: actorRefresh.refreshSoon,
    transient: transientActors,
  })
  return {
    viewContext,
    live: createLive({
      store,
      viewContext: (did) => viewContext(origin, did),
      events: notifications,
      onFault: (error) => log.error({ err: error }, 'live notification round failed'),
    }),
  }
}

/** Completes interrupted and large fan-outs in the background. */
export function notifySubscribers(
  services: Pick<Platform, 'store' | 'now' | 'background'> & Pick<Notifier, 'notifications'>,
): void {
  services.background.run('subscriber notification', () => finishFanOuts(services))
}
