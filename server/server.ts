/** The composition root: starts every part of the server in order, and stops it in reverse. Read this first. */
import { methods, subscriptions } from './api/index.ts'
import { createProxy, type ServiceProxy, type ServiceTimes } from './app/proxy/proxy.ts'
import { startPushQueue } from './app/push/queue.ts'
import { labelerHeaders } from './app/views/content-labelers.ts'
import { didOf } from './app/views/find.ts'
import { freshWrites } from './app/views/fresh.ts'
import type { FederationOptions } from './federation/federation.ts'
import { loadAdminPassword } from './identity/auth/admin-password.ts'
import { createPageGuard } from './identity/auth/foreign-page.ts'
import { PasswordQueueFull } from './identity/auth/passwords.ts'
import { createSessionWatch } from './identity/auth/session-watch.ts'
import { createVerifier } from './identity/auth/verifier.ts'
import type { IdentityOptions } from './identity/identity.ts'
import { createOAuthEndpoints } from './identity/oauth/endpoints.ts'
import { periodicJobs } from './operation/jobs/jobs.ts'
import { startJobs } from './operation/jobs/scheduler.ts'
import type { ReplicasOptions } from './operation/replicas/replicas.ts'
import { createDidPaths } from './operation/web/did-paths.ts'
import { redirectPageVisit } from './operation/web/page-visit.ts'
import { createUi } from './operation/web/ui.ts'
import { createWatch } from './operation/web/watch.ts'
import { asksForHandle, createWellKnown } from './operation/web/well-known.ts'
import { createTrustedClock } from './platform/clock/trusted-clock.ts'
import type { Config } from './platform/config/config.ts'
import type { PlatformOptions } from './platform/platform.ts'
import { Database, type OpenOptions } from './platform/store/database.ts'
import {
  StoreContinued,
  StoreDamaged,
  StoreFull,
  StoreLockLost,
  StoreUnavailable,
} from './platform/store/errors.ts'
import { type Files, nodeFiles } from './platform/store/files.ts'
import { schema } from './platform/store/schema.ts'
import { createLogger, type Logger } from './platform/util/log.ts'
import { randomId } from './platform/util/random.ts'
import { TooManyLookups } from './platform/util/shared-lookup.ts'
import { version } from './platform/util/version.ts'
import { NoThread } from './platform/util/worker-or-inline.ts'
import { protocolError, type XrpcError } from './platform/xrpc/errors.ts'
import { noteProxied } from './platform/xrpc/forwarding.ts'
import { opensToNetwork } from './platform/xrpc/host.ts'
import { createApp, type Fallback, type HttpOptions } from './platform/xrpc/http.ts'
import { type CallMethod, createInternalCaller } from './platform/xrpc/internal-call.ts'
import { type Listener, listen } from './platform/xrpc/listen.ts'
import { createRouter } from './platform/xrpc/router.ts'
import { createStreams, type Streams } from './platform/xrpc/streams.ts'
import { watchEvents } from './repository/events/retention.ts'
import { callerRename, requestRename } from './repository/records/rename.ts'
import { announceRestore } from './repository/records/restored.ts'
import { createServices, type Services } from './services.ts'

/** A proxy may use the name localhost, which can stand for either. */
const loopback = ['127.0.0.1', '::1']

/** How long a close waits for requests in flight, and in all until the last changes have reached the copies. */
const lastRequestMs = 1000
const lastCopyMs = 1500

export interface RunningServer {
  /** URL on this machine, without a trailing slash. */
  readonly url: string
  readonly port: number
  /** The port for proxies and tunnels on this machine; undefined without one. */
  readonly proxyPort: number | undefined
  readonly services: Services
  /** Call it after a sleep of the computer: what waits for another server tries it now, once. */
  wake(): void
  /** Lets requests in flight finish, then closes the store. */
  close(): Promise<void>
}

/** Replace parts and limits; most of them for tests. */
export interface ServerOptions
  extends Partial<Pick<PlatformOptions, 'now' | 'log' | 'onMailKept'>>,
    IdentityOptions,
    Pick<OpenOptions, 'freeBytes' | 'onLockLost'>,
    Pick<FederationOptions, 'backlinkDelays' | 'discoveryNetwork'>,
    ReplicasOptions {
  /** The file system of the store. */
  readonly files?: Files | undefined
  /** Bytes of journals at which a checkpoint starts by itself. */
  readonly checkpointBytes?: number
  /** Time limits of forwarded calls. */
  readonly serviceTimes?: Partial<ServiceTimes>
}

/**
 * Starts the server on the data directory of the configuration.
 * @throws StoreLocked, StoreDamaged, StoreTooNew, StoreTooOld, or the system's error when the port cannot be bound
 */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<RunningServer> {
  const readClock = options.now ?? (() => new Date())
  const log = options.log ?? createLogger(config.logLevel)
  const store = await openStore(config, { ...options, now: readClock, log })
  const clock = createTrustedClock({ store, readClock, log })
  const { now } = clock
  const adminPassword = await loadAdminPassword(config).catch(closing(store))

  // The port is bound first, because the services need it for the origin. Requests wait until the handlers are ready.
  const ready = Promise.withResolvers<Handlers>()
  ready.promise.catch(() => {})
  const instance = randomId()
  const listener = await listenFor(ready.promise, { config, store, instance }).catch(closing(store))

  const outgoing = new AbortController()
  const services: Services = await createServices({
    ...options,
    ...{ config, store, log, now, clock, instance },
    files: options.files ?? nodeFiles,
    port: listener.port,
    proxyPort: listener.proxyPort,
    signal: outgoing.signal,
    // Methods use the services, and moves of accounts, which are among these, call methods.
    callMethod: (call) => callMethod(call),
  })
    .then(withStoreReady)
    .catch((error: unknown) => {
      ready.reject(error)
      return closing(listener, store)(error)
    })
  const callMethod: CallMethod = createInternalCaller(methods, services)
  const { background, mailer, identity, repository, federation, app, operation } = services
  const stops = [
    startJobs(periodicJobs(services), background),
    startPushQueue({ ...services, ...identity, ...app }),
    watchEvents(services),
  ]
  app.notifySubscribers()
  const { dispatch, streams, proxy } = createDispatch(services, adminPassword, options)
  await federation.upstreams.start()
  ready.resolve({ dispatch, fallback: createFallback(services) })
  federation.backlinks?.start()
  operation.copies.start()
  await federation.friends.start(listener.port)

  return {
    url: `http://127.0.0.1:${listener.port}`,
    port: listener.port,
    proxyPort: listener.proxyPort,
    services,
    wake() {
      federation.upstreams.wake()
      federation.backlinks?.wake()
      operation.copies.wake()
      // They have lost this server meanwhile, and come back when they are asked.
      background.run('crawl request', () => repository.relays.askNow())
    },
    async close() {
      const begun = performance.now()
      federation.backlinks?.close()
      federation.friends.close()
      for (const stop of stops) stop()
      // Otherwise a call that waits for another server, or the deletion of many events, would delay the close.
      outgoing.abort()
      store.endTasks()
      await federation.upstreams.close()
      proxy?.close()
      void mailer.close()
      await streams.close()
      await listener.close(lastRequestMs)
      await background.idle()
      await identity.lastUsed.write().catch((error: unknown) => {
        log.warn({ err: error }, 'writing last-used times failed')
      })
      await identity.written.write().catch((error: unknown) => {
        log.warn({ err: error }, 'writing counts of changes failed')
      })
      await clock.close().catch((error: unknown) => {
        log.warn({ err: error }, 'writing the trusted time failed')
      })
      await Promise.all([identity.passwords.close(), mailer.close()])
      await operation.copies.close(Math.max(0, begun + lastCopyMs - performance.now()))
      await store.close()
    },
  }
}

/** Before the first request: a write would continue a stream that other servers know differently. */
async function withStoreReady(services: Services): Promise<Services> {
  const { store, identity, repository } = services
  await identity.plc.holdEvents()
  await store.afterRestore(() => announceRestore({ ...services, ...repository }))
  await repository.storedNames.renameAll()
  return services
}

type StoreOptions = ServerOptions & { now: () => Date; log: Logger }

function openStore({ dataDir, diskReserve }: Config, options: StoreOptions): Promise<Database> {
  const { files, now, log, checkpointBytes, freeBytes, onLockLost } = options
  return Database.open({
    directory: dataDir,
    files,
    schema,
    now,
    checkpointBytes,
    diskReserve,
    freeBytes,
    onUpgrade: ({ state, ...versions }) => log.info(versions, `data upgrade ${state}`),
    onCompacted: (bytes) => log.info({ bytes }, 'database compacted'),
    onDroppedTail: (tail) => log.warn(tail, 'incomplete end of the journal dropped'),
    onReadAgain: () =>
      log.warn('data that failed a check passed it when they were read again: check the disk'),
    onDamagedChecksum: () => log.warn('checksum of the database was damaged, written anew'),
    onFault: (error) => log.error({ err: error }, 'checkpoint failed, retrying later'),
    onDamagedPage: (error) => log.error({ err: error }, 'page of the database is damaged'),
    onUnloadable: (error) => log.warn({ err: error }, 'worker cannot be loaded'),
    onLockLost: (error) => {
      log.fatal({ err: error }, 'lock of the data folder lost, nothing more is written')
      onLockLost?.(error)
    },
  })
}

/** Returns an error handler for a failed start: closes the parts that were opened, then throws the error. */
function closing(...opened: { close(): Promise<void> }[]) {
  return async (error: unknown): Promise<never> => {
    for (const part of opened) await part.close()
    throw error
  }
}

interface Handlers {
  readonly dispatch: HttpOptions['dispatch']
  readonly fallback: Fallback
}

/** Listens. Requests wait until the handlers are ready. */
async function listenFor(
  handlers: Promise<Handlers>,
  {
    config,
    store,
    instance,
  }: { readonly config: Config; readonly store: Database; readonly instance: string },
): Promise<Listener & { readonly proxyPort: number | undefined }> {
  const app = createApp({
    dispatch: async (...request) => (await handlers).dispatch(...request),
    fallback: async (...request) => (await handlers).fallback(...request),
    hostnames: hostnamesOf(config),
    anyAddress: opensToNetwork(config.hosts),
    opensTo: (name, path) => asksForHandle(config, store, name, path),
    health: () => ({ version, healthy: store.writable }),
    instance,
  })
  const ordinary = await listen(app, config.hosts, config.port)
  if (config.proxyPort === undefined) return { ...ordinary, proxyPort: undefined }
  const ofProxies = await listen(app, loopback, config.proxyPort, undefined, noteProxied).catch(
    closing(ordinary),
  )
  return {
    port: ordinary.port,
    proxyPort: ofProxies.port,
    async close(graceMs) {
      await Promise.all([ordinary.close(graceMs), ofProxies.close(graceMs)])
    },
  }
}

function hostnamesOf({ publicUrl, hostnames }: Config): string[] {
  return publicUrl === undefined ? [...hostnames] : [...hostnames, new URL(publicUrl).hostname]
}

/** Answers paths outside `/xrpc/`. */
function createFallback(services: Services): Fallback {
  const wellKnown = createWellKnown({ ...services, ...services.identity })
  const didPaths = createDidPaths({ ...services, ...services.identity })
  const watch = createWatch(services)
  const ui = createUi()
  const oauth = createOAuthEndpoints({ ...services, ...services.identity })
  return async (req, res, path, name) => {
    // Apps that sign in by OAuth read them first.
    if (path.startsWith('/.well-known/')) services.visitors.note(req)
    if (await oauth(req, res, path, name)) return true
    if (path.startsWith('/.well-known/')) return wellKnown(req, res, path, name)
    if (await didPaths(req, res, path, name)) return true
    if (await watch(req, res, path, name)) return true
    return (await ui(req, res, path)) || redirectPageVisit(req, res)
  }
}

/** The parts that answer calls. */
interface Answering {
  readonly dispatch: HttpOptions['dispatch']
  readonly streams: Streams
  readonly proxy: ServiceProxy | undefined
}

/** Answers paths under `/xrpc/`: aliases first, then the router. */
function createDispatch(
  services: Services,
  adminPassword: string,
  { serviceTimes }: ServerOptions,
): Answering {
  const { store, now, config, names, log, identity, federation, app, operation } = services
  const authorize = createVerifier({
    ...services,
    ...identity,
    adminPassword,
    rateLimits: config.rateLimits,
    watchSession: createSessionWatch({ store, now }),
  })
  const shared = {
    services,
    authorize,
    admitPage: createPageGuard(config, authorize),
    onFailure: (error: unknown, nsid: string) => log.error({ err: error, nsid }, 'method failed'),
  }
  const streams = createStreams({ ...shared, subscriptions })
  const proxy = createProxy({
    ...services,
    ...identity,
    authorize,
    callMethod: operation.callMethod,
    times: serviceTimes,
    onRefused: () => void services.refusals.calls++,
    didOfHandle: async (handle, account) =>
      didOf(store, handle) ?? federation.findHandle(handle, { kind: 'account', key: account }),
    freshWrites({ did, account }, { name, caller }) {
      const rename = callerRename(names, name.called)
      const writes = freshWrites(app.viewContext(caller.origin, did), rename)
      return writes && { ...writes, rename: rename?.type ?? ((type) => type), names: [did, account.handle] }
    },
  })
  const route = createRouter({
    ...shared,
    forward: proxy?.forward,
    methods,
    streams,
    watchReads: () => {
      const { epoch } = store
      return () => store.settled(epoch)
    },
    versionOf: (tables) => store.version(...tables),
    rateLimits: config.rateLimits,
    trustedProxies: config.trustedProxies,
    trustedOrigins: config.trustedOrigins,
    publicUrl: config.publicUrl,
    queryHeaders: (nsid, headers) =>
      labelerHeaders(nsid, headers['atproto-accept-labelers']?.toString(), services.serverDid),
    translate,
    ownNames: requestRename(names),
    callerNames: (called, collection) => callerRename(names, called, collection),
  })
  const known = new Set([...methods, ...subscriptions].map(({ nsid }) => nsid))
  return {
    streams,
    proxy,
    dispatch: async (called, query, req, res) => {
      services.visitors.note(req)
      const nsid = names.own(called)
      if (known.has(nsid) || !redirectPageVisit(req, res)) await route({ called, nsid }, query, req, res)
    },
  }
}

/** Maps resource errors of lower layers to XRPC errors. */
function translate(error: unknown): XrpcError | undefined {
  const message = resourceMessage(error)
  return message === undefined ? undefined : protocolError('NotEnoughResources', message)
}

function resourceMessage(error: unknown): string | undefined {
  if (error instanceof StoreLockLost)
    return 'This server has lost the lock of its data folder and stops. Try again after its owner has started it again.'
  if (error instanceof StoreUnavailable)
    return 'The server cannot use its disk at the moment. Try again later.'
  if (error instanceof StoreFull || error instanceof StoreContinued) return error.message
  if (error instanceof StoreDamaged)
    return 'This request needs data that are damaged on the disk of the server. Other requests work. The owner of the server can restore a backup.'
  if (error instanceof TooManyLookups)
    return 'Too many look-ups at other servers are under way. Try again in a few seconds.'
  if (error instanceof PasswordQueueFull)
    return 'Too many passwords are being checked. Try again in a few seconds.'
  if (error instanceof NoThread)
    return 'The server has too little memory or too many open files at the moment. Try again in a few seconds.'
  return undefined
}
