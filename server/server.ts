/** The composition root: starts every part of the server in order, and stops it in reverse. Read this first. */
import { methods } from './api/index.ts'
import type { ServiceTimes } from './app/proxy/proxy.ts'
import { startPushQueue } from './app/push/delivery-queue.ts'
import type { FederationOptions } from './federation/federation.ts'
import { loadAdminPassword } from './identity/auth/admin-password.ts'
import type { IdentityOptions } from './identity/identity.ts'
import type { Host } from './operation/host.ts'
import type { InspectorOptions } from './operation/inspector/inspector.ts'
import { periodicJobs } from './operation/jobs/jobs.ts'
import { startJobs } from './operation/jobs/scheduler.ts'
import type { ReplicasOptions } from './operation/replicas/replicas.ts'
import { createTrustedClock } from './platform/clock/trusted-clock.ts'
import type { Config } from './platform/config/config.ts'
import type { PlatformOptions } from './platform/platform.ts'
import type { StoreOptions } from './platform/start-store.ts'
import { startStore } from './platform/start-store.ts'
import { createInternalCaller } from './platform/xrpc/internal-call.ts'
import { watchEvents } from './repository/events/event-retention.ts'
import { announceRestore } from './repository/records/restored.ts'
import { createAnsweringFor } from './routes/answering.ts'
import { type Handlers, type Listen, listenFor } from './routes/listeners.ts'
import { createPageRoutes } from './routes/pages.ts'
import { createXrpcRoutes } from './routes/xrpc.ts'
import { schema } from './schema/schema.ts'
import { createServices, onClockCorrected, type Services } from './services.ts'
import { nodeFiles } from './store/files/files.ts'
import { realElapsed } from './util/deadlines.ts'
import { createLogger, standardError } from './util/log.ts'
import { createLogTail } from './util/log-tail.ts'
import { once } from './util/once.ts'
import { randomId } from './util/random.ts'
import { createStops, type Stops } from './util/stops.ts'
import { systemTime } from './util/timers.ts'

/** How long a close waits for consumers of streams, for requests in flight, and in all until the last changes have reached the copies. */
const lastStreamMs = 500
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
  extends Partial<
      Pick<
        PlatformOptions,
        | 'log'
        | 'logTail'
        | 'onMailKept'
        | 'plcOrigin'
        | 'inlineJobs'
        | 'isForTests'
        | 'startedWith'
        | 'settings'
      >
    >,
    IdentityOptions,
    Partial<Omit<StoreOptions, 'schema' | 'log'>>,
    Pick<FederationOptions, 'backlinkDelays' | 'discoveryNetwork'>,
    ReplicasOptions,
    InspectorOptions {
  /** The program that runs the server, for what its owner does over HTTP. */
  readonly host?: Host | undefined
  /** Time limits of forwarded calls. */
  readonly serviceTimes?: Partial<ServiceTimes>
  /** Replaces the listener of programs and browsers. */
  readonly listen?: Listen
}

/**
 * Starts the server on the data directory of the configuration. Each part registers how it is stopped when it starts, so that the
 * order of the stops is the reverse. Where another order is needed, a comment says why.
 * @throws StoreLocked, StoreDamaged, StoreTooNew, StoreTooOld, or the system's error when the port cannot be bound
 */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<RunningServer> {
  const stops = createStops()
  const outgoing = new AbortController()
  try {
    return await start(config, options, stops, outgoing)
  } catch (error) {
    outgoing.abort()
    // A fault of a stop would replace the reason.
    await stops.run().catch(() => {})
    throw error
  }
}

async function start(
  config: Config,
  options: ServerOptions,
  stops: Stops,
  outgoing: AbortController,
): Promise<RunningServer> {
  const readClock = options.now ?? systemTime
  const logTail = options.logTail ?? createLogTail(standardError())
  const log = options.log ?? createLogger(config.logLevel, logTail)
  const files = options.files ?? nodeFiles
  let closing = 0
  const logged = (work: () => Promise<unknown>, message: string) => () =>
    work().then(
      () => {},
      (error: unknown) => log.warn({ err: error }, message),
    )

  const store = await startStore(config, { ...options, files, schema, now: readClock, log })
  stops.defer(() => store.close())
  const clock = createTrustedClock({ store, readClock, log, onClockCorrected })
  const { now } = clock
  const adminPassword = await loadAdminPassword(config, files)

  // The port is bound first, because the services need it for the origin. Requests wait until the handlers are ready.
  const ready = Promise.withResolvers<Handlers>()
  ready.promise.catch(() => {})
  const instance = randomId()
  const listener = await listenFor(ready.promise, { config, store, instance, open: options.listen })
  stops.defer(() => ready.reject(new Error('The server does not start.')))
  stops.defer(() => listener.close(0))

  const services: Services = await createServices({
    ...options,
    ...{ config, store, files, log, logTail, now, clock, instance },
    port: listener.port,
    proxyPort: listener.proxyPort,
    signal: outgoing.signal,
    // Methods use the services, and moves of accounts, which are among these, call methods.
    callMethod: (call) => callMethod(call),
  })
  const callMethod = createInternalCaller(methods, services)
  const { background, mailer, identity, repository, federation, app, operation } = services
  // Copied last, with what the other stops write. The clock, which is older, is one of them.
  stops.defer(() => operation.copies.close(Math.max(0, closing + lastCopyMs - realElapsed())))
  stops.defer(async () => void (await Promise.all([identity.passwords.close(), mailer.close()])))
  stops.defer(logged(() => clock.close(), 'writing the trusted time failed'))
  stops.defer(logged(() => identity.uses.write(), 'writing counts of uses failed'))
  stops.defer(logged(() => identity.lastUsed.write(), 'writing last-used times failed'))
  stops.defer(() => operation.inspector.close())
  stops.defer(() => background.idle())
  stops.defer(() => operation.conformance.close())
  await makeStoreReady(services)

  const answering = createAnsweringFor(services)
  const { dispatch, streams, proxy } = createXrpcRoutes(services, answering, adminPassword, options)
  // Older than the services, but requests use these.
  stops.defer(() => listener.close(lastRequestMs))
  stops.defer(() => streams.close(lastStreamMs))
  stops.defer(() => proxy?.close())
  stops.defer(startJobs(periodicJobs(services), background))
  stops.defer(startPushQueue({ ...services, ...identity, ...app }))
  stops.defer(watchEvents(services))
  app.notifySubscribers()
  stops.defer(() => federation.upstreams.close())
  await federation.upstreams.start()
  ready.resolve({ dispatch, fallback: createPageRoutes(services, answering) })
  stops.defer(() => federation.backlinks?.close())
  federation.backlinks?.start()
  operation.copies.start()
  stops.defer(() => federation.friends.close())
  await federation.friends.start(listener.port)
  // First, or a call that waits for another server, a mail, or a deletion of many events would delay the other stops.
  stops.defer(() => {
    outgoing.abort()
    store.endTasks()
    void mailer.close()
  })

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
    close: once(() => {
      closing = realElapsed()
      return stops.run()
    }),
  }
}

/** Before the first request: a write would continue a stream that other servers know differently. */
async function makeStoreReady(services: Services): Promise<void> {
  const { store, identity, repository, operation } = services
  await identity.plc.holdEvents()
  await store.afterRestore(() => announceRestore({ ...services, ...repository }))
  // It reports deletions: after a restore only numbers that were never sent are free.
  await operation.conformance.hideLeftovers()
  await repository.storedNames.renameAll()
}
