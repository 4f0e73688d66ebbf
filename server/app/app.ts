/** Creates the parts that clients read: notifications, their live stream, views. */
import type { Federation } from '../federation/federation.ts'
import type { Identity } from '../identity/identity.ts'
import type { Platform } from '../platform/platform.ts'
import type { RecordListener } from '../repository/records/record-events.ts'
import { createNotificationEvents, type NotificationEvents } from './notifications/arrivals.ts'
import { finishFanOuts } from './notifications/fan-out.ts'
import { createLive, type LiveNotifications } from './notifications/live-stream.ts'
import { createRecordListener, createSilentListener } from './notifications/record-listener.ts'
import { type CreateViewContext, createViewContexts } from './views/load/context.ts'

/** Notifies of records. */
export interface Notifier {
  readonly notifications: NotificationEvents
  /** Completes interrupted and large fan-outs in the background. */
  notifySubscribers(): void
  /** Listener for records that may notify. */
  readonly notifying: RecordListener
  /** Listener for records that were written before an account here could be interested. */
  readonly silent: RecordListener
}

export interface App extends Pick<Notifier, 'notifications' | 'notifySubscribers'> {
  readonly live: LiveNotifications
  readonly viewContext: CreateViewContext
}

export function createNotifier({ names, store, now, background }: Platform): Notifier {
  const notifications = createNotificationEvents()
  const notifySubscribers = () =>
    background.run('subscriber notification', () => finishFanOuts({ store, notifications, now }))
  return {
    notifications,
    notifySubscribers,
    notifying: createRecordListener({ names, events: notifications, onMoreSubscribers: notifySubscribers }),
    silent: createSilentListener({ names }),
  }
}

export function createApp(
  { names, store, now, log, origin }: Platform,
  { secrets }: Pick<Identity, 'secrets'>,
  { notifications, notifySubscribers }: Notifier,
  { actorRefresh, transientActors }: Pick<Federation, 'actorRefresh' | 'transientActors'>,
): App {
  const viewContext = createViewContexts({
    ...{ store, names, now, hashVideo: secrets.hash },
    refreshSoon: actorRefresh.refreshSoon,
    transient: transientActors,
  })
  return {
    notifications,
    notifySubscribers,
    viewContext,
    live: createLive({
      store,
      viewContext: (did) => viewContext(origin, did),
      events: notifications,
      onFault: (error) => log.error({ err: error }, 'live notification round failed'),
    }),
  }
}
