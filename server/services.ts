/** The long-lived parts of the server and their dependencies. Handlers receive them with each call. */
import type { DidString } from '@atproto/syntax'
import { blockListener } from './app/notifications/block-listener.ts'
import { createNotificationEvents, type NotificationEvents } from './app/notifications/events.ts'
import { finishFanOuts } from './app/notifications/fan-out.ts'
import { createLive, type LiveNotifications } from './app/notifications/live.ts'
import { createRecordListener, createSilentListener } from './app/notifications/record-listener.ts'
import { type CreateViewContext, createViewContexts } from './app/views/context.ts'
import { type Actors, createActors } from './federation/actors/actors.ts'
import { createFindHandle, type FindHandle } from './federation/actors/find-handle.ts'
import { createActorListener } from './federation/actors/listener.ts'
import { type ActorRefresh, createActorRefresh } from './federation/actors/refresh.ts'
import { createTransientActors, type TransientActors } from './federation/actors/transient.ts'
import type { BacklinkDelays, Backlinks } from './federation/backlinks/backlinks.ts'
import { type CatchUp, createCatchUp } from './federation/remote/catch-up.ts'
import { createFetchRecord, type FetchRecord } from './federation/remote/fetch-record.ts'
import { createHosts, type Hosts } from './federation/remote/hosts.ts'
import { createIntake, type Intake } from './federation/remote/intake.ts'
import { createInterest, type Interest } from './federation/remote/interest.ts'
import { createPictures, type Pictures } from './federation/remote/pictures.ts'
import { createRecheck, type Recheck } from './federation/remote/recheck.ts'
import { createRepositorySync, type RepositorySync } from './federation/remote/repository-sync.ts'
import { createStatusClaims, type StatusClaims } from './federation/remote/status-claims.ts'
import { createWantedRecords, type WantedRecords } from './federation/remote/wanted-records.ts'
import { createUpstreamOrigins } from './federation/upstreams/origins.ts'
import { createUpstreams, type Upstreams } from './federation/upstreams/upstreams.ts'
import { publishedDocument, unpublishedDocument } from './identity/accounts/did-status.ts'
import { createPlcPublisher, type PlcPublisher } from './identity/accounts/plc.ts'
import { loadAudience } from './identity/auth/audience.ts'
import { createLastUsed, type LastUsed } from './identity/auth/last-used.ts'
import { createPasswordHasher, type PasswordHasher } from './identity/auth/passwords.ts'
import { createTokens, type Tokens } from './identity/auth/tokens.ts'
import { createHandleResolver, type ResolveHandle } from './identity/did/handle-resolver.ts'
import { createDidResolver, type ResolveDid } from './identity/did/resolver.ts'
import { loadSecrets, type Secrets } from './identity/did/secrets.ts'
import { type BackupProofs, createBackupProofs } from './operation/backups/proofs.ts'
import { createDoctor, type Doctor } from './operation/doctor/doctor.ts'
import { createMoves, type Moves } from './operation/moving/moves.ts'
import type { TrustedClock } from './platform/clock/trusted-clock.ts'
import { createNames, type Names } from './platform/config/aliases.ts'
import { type Config, namesBacklinkService, publicOrigin } from './platform/config/config.ts'
import { createMailer, type Mailer } from './platform/mail/mailer.ts'
import { createHandleLookup } from './platform/network/handle-lookup.ts'
import { createFindForOthers, type FindAddresses } from './platform/network/names.ts'
import type { Database } from './platform/store/database.ts'
import { freeBytes } from './platform/store/disk-space.ts'
import type { Files } from './platform/store/files.ts'
import { findByDid } from './platform/store/tables/accounts.ts'
import { type Background, createBackground } from './platform/util/background.ts'
import type { Logger } from './platform/util/log.ts'
import type { CallMethod } from './platform/xrpc/internal-call.ts'
import { type Blobs, createBlobs } from './repository/blobs/blobs.ts'
import { createRoom, type Room } from './repository/blobs/room.ts'
import { type ArchiveLimits, createEventArchive, type EventArchive } from './repository/events/archive.ts'
import { createEventLog } from './repository/events/event-log.ts'
import { createRelays, type Relays } from './repository/events/relays.ts'
import { createSegmentFiles, type SegmentFiles } from './repository/events/segment-files.ts'
import { createEventStream, type EventStream } from './repository/events/stream.ts'
import { createTidClock } from './repository/format/tid.ts'
import { createBlobListener } from './repository/records/blob-listener.ts'
import { combineListeners, type RecordListener } from './repository/records/events.ts'
import { createExports, type Exports } from './repository/records/export.ts'
import { createImporter, type Importer } from './repository/records/import/importer.ts'
import { linkListener } from './repository/records/link-listener.ts'
import { createRepositories, type Repositories } from './repository/records/repositories.ts'
import { createStoredNames, type StoredNames } from './repository/records/stored-names.ts'

export interface Services {
  readonly config: Config
  readonly names: Names
  readonly store: Database
  readonly secrets: Secrets
  readonly tokens: Tokens
  readonly lastUsed: LastUsed
  readonly passwords: PasswordHasher
  readonly mailer: Mailer
  readonly resolveDid: ResolveDid
  /** Finds addresses of hosts that other parties name. */
  readonly findAddresses: FindAddresses
  /** Resolves handles of other domains; undefined while no directory is configured: then nothing leaves this machine. */
  readonly resolveHandle: ResolveHandle | undefined
  readonly plc: PlcPublisher
  readonly actors: Actors
  readonly actorRefresh: ActorRefresh
  readonly findHandle: FindHandle
  readonly transientActors: TransientActors
  readonly repositories: Repositories
  readonly exports: Exports
  readonly blobs: Blobs
  readonly room: Room
  readonly importer: Importer
  readonly storedNames: StoredNames
  readonly segmentFiles: SegmentFiles
  readonly eventArchive: EventArchive
  readonly eventStream: EventStream
  readonly relays: Relays
  readonly notifications: NotificationEvents
  readonly live: LiveNotifications
  readonly interest: Interest
  readonly intake: Intake
  readonly upstreams: Upstreams
  readonly hosts: Hosts
  readonly statusClaims: StatusClaims
  readonly fetchRecord: FetchRecord
  readonly pictures: Pictures
  readonly repositorySync: RepositorySync
  readonly catchUp: CatchUp
  readonly wantedRecords: WantedRecords
  readonly recheck: Recheck
  /** Undefined if the settings name no service. */
  readonly backlinks: Backlinks | undefined
  readonly viewContext: CreateViewContext
  /** Calls a method of this server within the process. */
  readonly callMethod: CallMethod
  readonly moves: Moves
  readonly doctor: Doctor
  readonly backupProofs: BackupProofs
  readonly refusals: Refusals
  readonly background: Background
  /** Whether the time of this machine can be right. */
  readonly clock: TrustedClock
  readonly log: Logger
  /** Public URL of this server, without a trailing slash; in DID documents. */
  readonly origin: string
  /** did:web of the origin's host. */
  readonly serverDid: DidString
  /** The port that is bound. */
  readonly port: number
  readonly now: () => Date
  /** Aborts when the server closes. */
  readonly signal: AbortSignal
}

/** Work that was refused for lack of room, since the start of the server. */
export interface Refusals {
  /** Look-ups at other servers whose requester had too many under way. */
  lookups: number
  /** Calls of other services that were refused because too many were under way, or unread. */
  calls: number
  /** Consumers of the event stream that got no place, or lost it to another network. */
  consumers: number
}

/** The parts that look-ups at other servers share. */
interface Lookups {
  readonly findAddresses: FindAddresses
  readonly onRefused: () => void
}

/** The parts that `startServer` creates before the services. */
type Base = Pick<Services, 'config' | 'store' | 'log' | 'now' | 'clock'> & {
  /** Identifies the running server; another one after each start. */
  readonly instance: string
  /** The port that is bound: part of the origin unless a public URL is configured. */
  readonly port: number
  /** Aborts requests to other servers. */
  readonly signal: AbortSignal
  /** The file system of the store. */
  readonly files: Files
  readonly passwords: PasswordHasher | undefined
  readonly backlinkDelays: Partial<BacklinkDelays> | undefined
  readonly archiveLimits: ArchiveLimits | undefined
  readonly freeBytes: typeof freeBytes | undefined
  readonly onMailKept: (() => void) | undefined
  readonly directoryWaitMs: number | undefined
  readonly callMethod: CallMethod
}

export async function createServices(base: Base): Promise<Services> {
  const { config, store, log, now, clock, signal, files, callMethod } = base
  const names = createNames(config.aliases)
  const origin = publicOrigin(config, base.port)
  const serverDid = `did:web:${encodeURIComponent(new URL(origin).host)}` as const
  const secrets = await loadSecrets(store)
  const audience = await loadAudience(store, serverDid)
  const background = createBackground(log)
  const notifications = createNotificationEvents()
  const refusals: Refusals = { lookups: 0, calls: 0, consumers: 0 }
  const lookups: Lookups = {
    findAddresses: createFindForOthers({
      nameServers: config.nameServers,
      allowPrivate: config.allowPrivateTargets,
    }),
    onRefused: () => void refusals.lookups++,
  }
  const resolveDid = createResolver(base, lookups, origin)
  const resolveHandle = createForeignHandles(base, lookups)
  const upstreamOrigins = createUpstreamOrigins(store)
  const refreshDids = (dids: Iterable<string>) => actorRefresh.refreshDids(dids)
  const actors = createActors({
    ...{ config, names, store, resolveDid, resolveHandle, upstreamOrigins, now, signal, ...lookups },
    onForgotten: (did) => refreshDids([did]),
  })
  const relays = createRelays({ config, store, background, log, now, signal })
  const room = createRoom({ config, store, freeBytes: base.freeBytes ?? freeBytes })
  const blobs = createBlobs({ store, files, dataDir: config.dataDir, log, now, clock, room })
  await blobs.removeTemporaries()
  const interest = createInterest({ store })
  const actorListener = createActorListener({ actors, interest, refreshDids })
  const notifying = combineListeners(
    createNotifyingListener({ names, store, notifications, background, now }),
    actorListener,
  )
  const silent = combineListeners(linkListener, blockListener, createSilentListener({ names }), actorListener)
  const intake = createIntake({
    ...{ store, config, names, interest, now, clock, log, signal, silent, notifying },
    feedItemStored: (tx, event) => remote.wantedRecords.wantShown(tx, event),
  })
  const isOn = () => namesBacklinkService(config) || upstreamOrigins().length > 0
  const remote = createRemote(base, {
    ...lookups,
    names,
    background,
    actors,
    interest,
    intake,
    isOn,
    upstreams: upstreamOrigins,
  })
  const actorRefresh = createActorRefresh({
    ...{ store, names, actors, intake, background, log, now, signal, isOn },
    ...remote,
  })
  const findHandle = createFindHandle({
    ...{ config, names, actors, resolveHandle, upstreamOrigins, now, signal, ...lookups },
  })
  const transientActors = createTransientActors({
    ...{ store, names, actors, findHandle, log, now, isOn, ...lookups },
    fetchRecord: remote.fetchRecord,
  })
  const repositories = createListenedRepositories(
    { names, store, blobs, background, now },
    combineListeners(notifying, remote.wantedRecords.listener),
  )
  const exports = createExports({ store, repositories, files, dataDir: config.dataDir })
  await exports.removeTemporaries()
  const storedNames = createStoredNames({ store, names, repositories, log })
  const importer = createImporter({
    store,
    files,
    dataDir: config.dataDir,
    names,
    repositories,
    storedNames,
    blobs,
    background,
    now,
    onUnloadable: (error) => log.warn({ err: error }, 'worker cannot be loaded'),
    signal,
  })
  await importer.recover()
  const segmentFiles = createSegmentFiles({ files, dataDir: config.dataDir })
  const eventLog = createEventLog({ store, segmentFiles, log })
  const viewContext = createViewContexts({
    ...{ store, names, now },
    refreshSoon: actorRefresh.refreshSoon,
    transient: transientActors,
  })
  /** Loads its modules, which most servers do not need. */
  async function openBacklinks(): Promise<Backlinks> {
    const { createBacklinks } = await import('./federation/backlinks/backlinks.ts')
    return createBacklinks({
      ...{ config, store, interest, intake, actors, background, log, now, signal },
      fetchRecord: remote.fetchRecord,
      delays: base.backlinkDelays,
    })
  }
  return {
    config,
    names,
    store,
    secrets,
    tokens: await createTokens({ secret: secrets.tokenKey, audience, now, issuedAt: clock.latest }),
    lastUsed: createLastUsed({ store, now }),
    passwords:
      base.passwords ??
      createPasswordHasher({
        onUnloadable: (error) => log.warn({ err: error }, 'worker cannot be loaded'),
      }),
    mailer: createMailer({
      smtpUrl: config.smtpUrl,
      from: config.mailFrom,
      dataDir: config.dataDir,
      now,
      log,
      onKept: base.onMailKept,
    }),
    resolveDid,
    findAddresses: lookups.findAddresses,
    resolveHandle,
    plc: createPlcPublisher({
      ...{ config, store, secrets, resolveDid, origin, log, now, signal },
      waitMs: base.directoryWaitMs,
    }),
    actors,
    actorRefresh,
    findHandle,
    transientActors,
    repositories,
    exports,
    blobs,
    room,
    storedNames,
    importer,
    relays,
    segmentFiles,
    eventArchive: createEventArchive({
      ...{ config, store, segmentFiles, eventLog, background, log, signal },
      limits: base.archiveLimits,
    }),
    eventStream: createEventStream({
      store,
      eventLog,
      onFault: (error) => log.error({ err: error }, 'reading of new events failed'),
      onRefused: () => void refusals.consumers++,
    }),
    notifications,
    live: createLive({
      store,
      viewContext: (did) => viewContext(origin, did),
      events: notifications,
      onFault: (error) => log.error({ err: error }, 'live notification round failed'),
    }),
    interest,
    intake,
    ...remote,
    backlinks: namesBacklinkService(config) ? await openBacklinks() : undefined,
    upstreams: createUpstreams({
      ...{ config, store, interest, intake, actors, serverDid, log, now, clock, signal },
      instance: base.instance,
      ...remote,
    }),
    viewContext,
    callMethod,
    moves: createMoves({
      ...{ config, names, store, resolveDid, background, log, now, origin, callMethod, signal, secrets },
    }),
    doctor: createDoctor({ ...base, origin, serverDid, resolveHandle, relays }),
    backupProofs: createBackupProofs({
      dataDir: config.dataDir,
      files,
      now,
      repairMedia: async (cids) => (await blobs.examine(cids)).includes('backup repaired'),
      signal,
      onUnloadable: (error) => log.warn({ err: error }, 'worker cannot be loaded'),
    }),
    refusals,
    background,
    clock,
    log,
    origin,
    serverDid,
    port: base.port,
    now,
    signal,
  }
}

/** Creates the DID resolver. The documents of local accounts come from the store until they are published. */
function createResolver(
  { config, store, now, clock, signal }: Base,
  lookups: Lookups,
  origin: string,
): ResolveDid {
  return createDidResolver({
    plcUrl: config.plcUrl,
    allowPrivate: config.allowPrivateTargets,
    now,
    local: (did) => {
      const account = findByDid(store, did)
      return account && unpublishedDocument({ config, origin }, account)
    },
    fallback: (did, stale) => {
      const account = findByDid(store, did)
      return account && (stale ?? publishedDocument(account))
    },
    onDirectoryTime: clock.witness,
    signal,
    ...lookups,
  })
}

function createForeignHandles({ config, now, signal }: Base, lookups: Lookups): ResolveHandle | undefined {
  const { plcUrl, userDomains, nameServers, allowPrivateTargets: allowPrivate } = config
  if (plcUrl === undefined) return undefined
  const lookUp = createHandleLookup({ nameServers, allowPrivate, signal, ...lookups })
  return createHandleResolver({ lookUp, userDomains, allowTest: allowPrivate, now, ...lookups })
}

/** Creates the parts that read from the hosts of remote actors. */
function createRemote(
  { config, store, log, now, signal, files }: Base,
  parts: Lookups &
    Pick<Services, 'names' | 'background' | 'actors' | 'interest' | 'intake'> & {
      readonly upstreams: () => readonly string[]
      /** Whether a source of remote records is switched on. */
      readonly isOn: () => boolean
    },
): Pick<
  Services,
  | 'hosts'
  | 'statusClaims'
  | 'fetchRecord'
  | 'pictures'
  | 'repositorySync'
  | 'catchUp'
  | 'wantedRecords'
  | 'recheck'
> {
  const { dataDir } = config
  const hosts = createHosts({
    config,
    names: parts.names,
    named: parts.upstreams,
    findAddresses: parts.findAddresses,
    signal,
  })
  const statusClaims = createStatusClaims({ ...parts, hosts, signal })
  const deps = { ...parts, hosts, statusClaims, store, files, dataDir, log, now, signal }
  const fetchRecord = createFetchRecord(deps)
  const repositorySync = createRepositorySync({
    ...deps,
    onUnloadable: (error) => log.warn({ err: error }, 'worker cannot be loaded'),
  })
  const catchUp = createCatchUp({ ...deps, repositorySync })
  return {
    hosts,
    statusClaims,
    fetchRecord,
    pictures: createPictures(deps),
    repositorySync,
    catchUp,
    wantedRecords: createWantedRecords({ ...deps, fetchRecord }),
    // Event streams report deletions, backlink services do not.
    recheck: createRecheck({ ...deps, fetchRecord, catchUp, isOn: () => namesBacklinkService(config) }),
  }
}

/** Stores the links of records, and notifies. */
function createNotifyingListener(
  services: Pick<Services, 'names' | 'store' | 'notifications' | 'background' | 'now'>,
): RecordListener {
  return combineListeners(
    linkListener,
    blockListener,
    createRecordListener({
      names: services.names,
      events: services.notifications,
      onMoreSubscribers: () => notifySubscribers(services),
    }),
  )
}

function createListenedRepositories(
  {
    names,
    store,
    blobs,
    background,
    now,
  }: Pick<Services, 'names' | 'store' | 'blobs' | 'background' | 'now'>,
  listener: RecordListener,
): Repositories {
  return createRepositories({
    store,
    names,
    nextTid: createTidClock(now),
    now,
    listener: combineListeners(
      createBlobListener((did, cids) => background.run('deletion of blobs', () => blobs.release(did, cids))),
      listener,
    ),
  })
}

/** Completes interrupted and large fan-outs in the background. */
export function notifySubscribers(
  services: Pick<Services, 'store' | 'notifications' | 'now' | 'background'>,
): void {
  services.background.run('subscriber notification', () => finishFanOuts(services))
}
