/** The long-lived parts of the server. Handlers receive them with each call. */
import { type App, createApp, createNotifier } from './app/app.ts'
import { blockListener } from './app/notifications/block-listener.ts'
import { correctNotificationTimes } from './app/notifications/corrected-clock.ts'
import { deletedAccountListener } from './app/notifications/deleted-account.ts'
import { importedArchiveListener } from './app/notifications/imported-archive.ts'
import { ofRecord } from './app/tables/notifications.ts'
import { createFederation, type Federation, type FederationOptions } from './federation/federation.ts'
import { setLastRev } from './federation/tables/remote-statuses.ts'
import type { DeletionListener } from './identity/accounts/delete.ts'
import { createIdentity, type Identity, type IdentityOptions } from './identity/identity.ts'
import { createOperation, type Operation, type OperationOptions } from './operation/operation.ts'
import type { CorrectTimes } from './platform/clock/future-times.ts'
import { createPlatform, type Platform, type PlatformOptions } from './platform/platform.ts'
import type { ImportListener } from './repository/records/import/finish.ts'
import { linkListener } from './repository/records/link-listener.ts'
import { combineListeners, type RecordListener } from './repository/records/record-events.ts'
import { createRepository, type Repository, type RepositoryOptions } from './repository/repository.ts'

/** The parts of the platform, which all others build on, and the wings. */
export interface Services extends Platform {
  readonly identity: Identity
  readonly repository: Repository
  readonly federation: Federation
  readonly app: App
  readonly operation: Operation
}

export interface ServicesOptions
  extends PlatformOptions,
    IdentityOptions,
    Omit<RepositoryOptions, 'listener' | 'onImported'>,
    Omit<FederationOptions, 'listeners'>,
    Omit<OperationOptions, 'onAccountDeleted'> {}

/** Creates them in order: a later one uses only earlier ones. */
export async function createServices(options: ServicesOptions): Promise<Services> {
  const platform = createPlatform(options)
  const identity = await createIdentity(platform, options)
  const notifier = createNotifier(platform)
  const federation = await createFederation(platform, identity, {
    ...options,
    listeners: (actors) => ({
      notifying: inOrder({ notifications: notifier.notifying, actors }),
      silent: inOrder({ notifications: notifier.silent, actors }),
      hasNotified: (tx, record) => ofRecord(tx, record).length > 0,
    }),
  })
  const repository = await createRepository(platform, {
    ...options,
    onImported,
    listener: (media) => inOrder({ media, notifications: notifier.notifying, ...federation.listeners }),
  })
  const app = createApp(platform, identity, notifier, federation)
  const operation = await createOperation(platform, identity, repository, { ...options, onAccountDeleted })
  return { ...platform, identity, repository, federation, app, operation }
}

/** What the wings do when an account is deleted, in the order in which they are called. */
const onAccountDeleted: readonly DeletionListener[] = [
  // Before the rows of the account: its lists are found through them.
  deletedAccountListener,
  // With the last row: an actor of another server takes the place of the account.
  { removed: (tx, did, rev) => rev !== undefined && setLastRev(tx, did, rev) },
]

/** What the wings do when an archive has replaced the records of an account, in the order in which they are called. */
const onImported: readonly ImportListener[] = [
  // After the links of the new records, which have its follows and blocks.
  importedArchiveListener,
]

/** What the wings do when the clock was ahead and is right again, in the order in which they are called. */
export const onClockCorrected: readonly CorrectTimes[] = [
  // Before the times of records, whose correction may take long: the newest notifications are read first.
  correctNotificationTimes,
]

/** Records of other servers lack `media`, which their servers store, and `wanted`. */
interface Listeners {
  readonly media?: RecordListener
  readonly notifications: RecordListener
  readonly actors: RecordListener
  readonly wanted?: RecordListener
}

/**
 * The listeners of written records, in the order in which they are called. An archive of another server is imported with
 * `linkListener` alone: its records notify of nothing, and their media comes later.
 */
function inOrder({ media, notifications, actors, wanted }: Listeners): RecordListener {
  const listeners = [
    // Refuses records that name missing media, before anything is stored of them.
    media,
    // Stores the links and the feed item, which the following ones query.
    linkListener,
    // Hides and shows earlier notifications when blocks change.
    blockListener,
    // Adds notifications, which are hidden where a block applies.
    notifications,
    // Stores the identities of the author and of followed actors.
    actors,
    // Has posts fetched that the record refers to. Its requests follow the commit, and need these identities.
    wanted,
  ]
  return combineListeners(...listeners.filter((listener) => listener !== undefined))
}
