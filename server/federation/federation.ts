/** Creates the parts that read from other servers: their actors, their records, the sources of both. */
import type { Identity } from '../identity/identity.ts'
import { namesBacklinkService } from '../platform/config/config.ts'
import type { Platform } from '../platform/platform.ts'
import { lookupsOf, warnOfWorker } from '../platform/platform.ts'
import type { RecordListener } from '../repository/records/record-events.ts'
import { type Actors, createActors } from './actors/actors.ts'
import { createFindHandle, type FindHandle } from './actors/find-handle.ts'
import { createActorListener } from './actors/listener.ts'
import { type ActorRefresh, createActorRefresh } from './actors/refresh.ts'
import { createTransientActors, type TransientActors } from './actors/transient.ts'
import type { BacklinkDelays, Backlinks } from './backlinks/backlinks.ts'
import type { DiscoveryNetwork } from './friends/discovery.ts'
import { createFriends, type Friends } from './friends/friends.ts'
import { type CatchUp, createCatchUp } from './remote/catch-up.ts'
import { createFetchRecord, type FetchRecord } from './remote/fetch-record.ts'
import { createFilter, type Filter } from './remote/filter/filter.ts'
import { createHosts, type Hosts } from './remote/hosts.ts'
import { createIntake, type Intake, type IntakeDeps } from './remote/intake.ts'
import { createLimits } from './remote/limits/limits.ts'
import { createPictures, type Pictures } from './remote/pictures.ts'
import { createReadRecord, type ReadRecord } from './remote/read-record.ts'
import { createRecheck, type Recheck } from './remote/recheck.ts'
import { createRepositorySync, type RepositorySync } from './remote/repository-sync.ts'
import { createStatusClaims, type StatusClaims } from './remote/status-claims.ts'
import { createWantedRecords, type WantedRecords } from './remote/wanted-records.ts'
import { createUpstreamOrigins } from './upstreams/origins.ts'
import { createUpstreams, type Upstreams } from './upstreams/upstreams.ts'

export interface Federation {
  /** Listen to records of accounts here: keep the actors, and fetch the posts, that they refer to. */
  readonly listeners: { readonly actors: RecordListener; readonly wanted: RecordListener }
  readonly actors: Actors
  readonly actorRefresh: ActorRefresh
  readonly findHandle: FindHandle
  readonly transientActors: TransientActors
  readonly filter: Filter
  readonly intake: Intake
  readonly hosts: Hosts
  readonly statusClaims: StatusClaims
  readonly fetchRecord: FetchRecord
  readonly readRecord: ReadRecord
  readonly pictures: Pictures
  readonly repositorySync: RepositorySync
  readonly catchUp: CatchUp
  readonly wantedRecords: WantedRecords
  readonly recheck: Recheck
  readonly upstreams: Upstreams
  readonly friends: Friends
  /** Undefined if the settings name no service. */
  readonly backlinks: Backlinks | undefined
}

export interface FederationOptions {
  /** Identifies the running server; another one after each start. */
  readonly instance: string
  /** Returns the listeners of stored records of other servers. @param actors the one that keeps the actors */
  readonly listeners: (actors: RecordListener) => Pick<IntakeDeps, 'notifying' | 'silent' | 'hasNotified'>
  /** Replace delays of requests to backlink services. */
  readonly backlinkDelays?: Partial<BacklinkDelays> | undefined
  /** Replaces the addresses at which servers of the local network find each other. */
  readonly discoveryNetwork?: DiscoveryNetwork | undefined
}

export async function createFederation(
  platform: Platform,
  { resolveDid, resolveHandle }: Pick<Identity, 'resolveDid' | 'resolveHandle'>,
  options: FederationOptions,
): Promise<Federation> {
  const { config, store } = platform
  const { instance } = options
  const { dataDir } = config
  const upstreamOrigins = createUpstreamOrigins(store)
  const isOn = () => namesBacklinkService(config) || upstreamOrigins().length > 0
  const shared = {
    ...platform,
    ...lookupsOf(platform),
    resolveDid,
    resolveHandle,
    dataDir,
    upstreams: upstreamOrigins,
    isOn,
  }
  const actors = createActors({ ...shared, upstreamOrigins })
  const filter = createFilter(shared)
  const actorListener = createActorListener({ actors, filter })
  const limits = createLimits(shared)
  const intake = createIntake({ ...shared, filter, limits, ...options.listeners(actorListener) })
  const named = () => [...upstreamOrigins(), ...(config.appViewUrl === undefined ? [] : [config.appViewUrl])]
  const hosts = createHosts({ ...shared, named })
  const statusClaims = createStatusClaims({ ...shared, hosts, actors })
  const known = { ...shared, hosts, statusClaims, actors, filter, limits, intake }
  const fetchRecord = createFetchRecord(known)
  const repositorySync = createRepositorySync({ ...known, onUnloadable: warnOfWorker(platform) })
  const catchUp = createCatchUp({ ...known, repositorySync })
  const wantedRecords = createWantedRecords({ ...known, fetchRecord, repositorySync })
  const actorRefresh = createActorRefresh({ ...known, fetchRecord })
  const findHandle = createFindHandle({ ...known, upstreamOrigins })
  return {
    listeners: { actors: actorListener, wanted: wantedRecords.listener },
    actors,
    actorRefresh,
    findHandle,
    transientActors: createTransientActors({ ...known, findHandle, fetchRecord }),
    filter,
    intake,
    hosts,
    statusClaims,
    fetchRecord,
    readRecord: createReadRecord({ ...known, findHandle, fetchRecord }),
    pictures: createPictures(known),
    repositorySync,
    catchUp,
    wantedRecords,
    // Event streams report deletions, backlink services do not.
    recheck: createRecheck({ ...known, fetchRecord, catchUp, isOn: () => namesBacklinkService(config) }),
    upstreams: createUpstreams({ ...known, catchUp, instance }),
    friends: createFriends({ ...shared, network: options.discoveryNetwork }),
    backlinks: namesBacklinkService(config)
      ? await openBacklinks({ ...known, fetchRecord, delays: options.backlinkDelays })
      : undefined,
  }
}

/** Loads its modules, which most servers do not need. */
async function openBacklinks(
  deps: Parameters<typeof import('./backlinks/backlinks.ts').createBacklinks>[0],
): Promise<Backlinks> {
  const { createBacklinks } = await import('./backlinks/backlinks.ts')
  return createBacklinks(deps)
}
