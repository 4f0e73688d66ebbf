/**
 * The composition root: every part of the server is made here and handed to the others. Read this first.
 */

import { documentOfAccount } from './accounts/identity.ts'
import { methods, subscriptions } from './api/index.ts'
import { loadAdminPassword } from './auth/admin-password.ts'
import { loadAudience } from './auth/audience.ts'
import type { SessionCredentials } from './auth/credentials.ts'
import { createLastUsed } from './auth/last-used.ts'
import { createPasswordHasher, PasswordQueueFull } from './auth/passwords.ts'
import { createSessionWatch } from './auth/session-watch.ts'
import { createTokens } from './auth/tokens.ts'
import { createVerifier } from './auth/verifier.ts'
import { canonicalNsid } from './config/aliases.ts'
import { type Config, publicOrigin } from './config/config.ts'
import { createDidResolver } from './identity/resolver.ts'
import { loadSecrets } from './identity/secrets.ts'
import { createBackground } from './jobs/background.ts'
import { startDailyBackup } from './jobs/daily-backup.ts'
import { startLastUsedJob } from './jobs/last-used.ts'
import { startSweeper } from './jobs/maintenance.ts'
import { createMailer } from './mail/mailer.ts'
import { createNotificationEvents } from './notifications/events.ts'
import { finishFanOuts } from './notifications/fan-out.ts'
import { createLive } from './notifications/live.ts'
import { createRecordListener } from './notifications/record-listener.ts'
import { startPushQueue } from './push/queue.ts'
import { createRepositories } from './records/repositories.ts'
import { createTidClock } from './records/tid.ts'
import type { Services } from './services.ts'
import { Database } from './store/database.ts'
import { StoreFull, StoreUnavailable } from './store/errors.ts'
import type { Files } from './store/files.ts'
import { migrations } from './store/migrations.ts'
import { createLogger, type Logger } from './util/log.ts'
import { version } from './util/version.ts'
import { redirectPageVisit } from './web/page-visit.ts'
import { createUi } from './web/ui.ts'
import { asksForHandle, createWellKnown } from './web/well-known.ts'
import { protocolError, type XrpcError } from './xrpc/errors.ts'
import { opensToNetwork } from './xrpc/host.ts'
import { createApp, type Fallback } from './xrpc/http.ts'
import { listen } from './xrpc/listen.ts'
import { createRouter, type Dispatch } from './xrpc/router.ts'
import { createStreams, type Streams } from './xrpc/streams.ts'

export interface RunningServer {
  /** Where it listens on this machine, without a trailing slash. */
  readonly url: string
  readonly port: number
  readonly services: Services
  /** Lets requests in flight finish, then closes the store. */
  close(): Promise<void>
}

export interface ServerOptions {
  /** Where the store's files go instead of the real file system. */
  readonly files?: Files
  readonly now?: () => Date
  readonly log?: Logger
  /** Binary logarithm of bcrypt's rounds; tests take a low one. */
  readonly passwordCost?: number
  /** Journals of fewer bytes are not checkpointed into the snapshot by themselves; tests take few. */
  readonly checkpointBytes?: number
  /** With this many bytes the store takes no more records; tests take few. */
  readonly fullBytes?: number
  /** Called when a message was kept in the outbox. */
  readonly onMailKept?: () => void
}

/**
 * Starts the server on the data directory that the configuration names.
 * @throws StoreLocked, StoreDamaged, StoreTooNew, or the system's error when the port cannot be bound
 */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<RunningServer> {
  const now = options.now ?? (() => new Date())
  const log = options.log ?? createLogger(config.logLevel)
  const store = await Database.open({
    directory: config.dataDir,
    files: options.files,
    migrations,
    now,
    checkpointBytes: options.checkpointBytes,
    fullBytes: options.fullBytes,
    onFault: (error) => log.error({ err: error }, 'store background task failed'),
  })

  const adminPassword = await loadAdminPassword(config).catch(closing(store))

  // The port is known once it is bound, and names the server: what comes in before the rest is ready waits.
  const ready = Promise.withResolvers<{ dispatch: Dispatch; fallback: Fallback }>()
  ready.promise.catch(() => {})
  const app = createApp({
    dispatch: async (...request) => (await ready.promise).dispatch(...request),
    fallback: async (...request) => (await ready.promise).fallback(...request),
    hostnames: hostnamesOf(config),
    anyAddress: opensToNetwork(config.hosts),
    opensTo: (name, path) => asksForHandle(config, store, name, path),
    health: () => ({ version, healthy: store.writable }),
  })
  const listener = await listen(app, config.hosts, config.port).catch(closing(store))

  const services = await createServices(config, {
    store,
    now,
    log,
    port: listener.port,
    passwordCost: options.passwordCost,
    onMailKept: options.onMailKept,
  }).catch((error: unknown) => {
    ready.reject(error)
    return closing(listener, store)(error)
  })
  const stopSweeper = startSweeper(services)
  const stopBackups = config.dailyBackups ? startDailyBackup(services) : () => {}
  const stopPushQueue = startPushQueue(services)
  const stopLastUsed = startLastUsedJob(services)
  notifySubscribers(services)
  const { dispatch, streams } = createCalls(services, adminPassword)
  ready.resolve({ dispatch, fallback: createFallback(services) })

  return {
    url: `http://127.0.0.1:${listener.port}`,
    port: listener.port,
    services,
    async close() {
      stopSweeper()
      stopBackups()
      stopPushQueue()
      stopLastUsed()
      await streams.close()
      await listener.close()
      await services.background.idle()
      await services.lastUsed.write().catch((error: unknown) => {
        log.warn({ err: error }, 'writing last-used times failed')
      })
      await Promise.all([services.passwords.close(), services.mailer.close()])
      await store.close()
    },
  }
}

/** A start that fails leaves nothing open. */
function closing(...opened: { close(): Promise<void> }[]) {
  return async (error: unknown): Promise<never> => {
    for (const part of opened) await part.close()
    throw error
  }
}

type Deps = Pick<Services, 'store' | 'now' | 'log'> & {
  port: number
  passwordCost: number | undefined
  onMailKept: (() => void) | undefined
}

async function createServices(
  config: Config,
  { store, now, log, port, passwordCost, onMailKept }: Deps,
): Promise<Services> {
  const origin = publicOrigin(config, port)
  const serverDid = `did:web:${encodeURIComponent(new URL(origin).host)}` as const
  const secrets = await loadSecrets(store)
  const notifications = createNotificationEvents()
  const background = createBackground(log)
  const { aliases } = config
  return {
    config,
    store,
    secrets,
    tokens: await createTokens({
      secret: secrets.tokenKey,
      audience: await loadAudience(store, serverDid),
      now,
    }),
    lastUsed: createLastUsed({ store, now }),
    passwords: createPasswordHasher({ cost: passwordCost }),
    mailer: createMailer({
      smtpUrl: config.smtpUrl,
      from: config.mailFrom,
      dataDir: config.dataDir,
      now,
      log,
      onKept: onMailKept,
    }),
    resolveDid: createDidResolver({
      plcUrl: config.plcUrl,
      allowPrivate: config.allowPrivateTargets,
      now,
      local: (did) => documentOfAccount({ store, origin }, did),
    }),
    repositories: createRepositories({
      store,
      aliases,
      nextTid: createTidClock(now),
      now,
      listener: createRecordListener({
        aliases,
        events: notifications,
        onMoreSubscribers: () => notifySubscribers({ store, notifications, now, background }),
      }),
    }),
    notifications,
    live: createLive({
      store,
      aliases,
      events: notifications,
      onFault: (error) => log.error({ err: error }, 'what is new could not be told'),
    }),
    background,
    log,
    origin,
    serverDid,
    now,
  }
}

/** What is answered outside `/xrpc/`. */
function createFallback(services: Services): Fallback {
  const wellKnown = createWellKnown(services)
  const ui = createUi()
  return async (req, res, path, name) => {
    if (path.startsWith('/.well-known/')) return wellKnown(req, res, path, name)
    return (await ui(req, res, path)) || redirectPageVisit(req, res)
  }
}

/** What is answered within `/xrpc/`. */
function createCalls(services: Services, adminPassword: string): { dispatch: Dispatch; streams: Streams } {
  const { store, tokens, lastUsed, now, config, log } = services
  const shared = {
    services,
    authorize: createVerifier({
      store,
      tokens,
      lastUsed,
      adminPassword,
      rateLimits: config.rateLimits,
      now,
    }),
    accountOf: (credentials: unknown) => (credentials as { did?: string } | undefined)?.did,
    onFailure: (error: unknown, nsid: string) => log.error({ err: error, nsid }, 'a method failed'),
  }
  const watchSession = createSessionWatch({ store, now })
  const streams = createStreams({
    ...shared,
    subscriptions,
    watchCredentials: (credentials, end) => watchSession(credentials as SessionCredentials, end),
  })
  const route = createRouter({
    ...shared,
    methods,
    streams,
    watchReads: () => {
      const { epoch } = store
      return () => store.settled(epoch)
    },
    rateLimits: config.rateLimits,
    trustedProxies: config.trustedProxies,
    translate,
  })
  const known = new Set([...methods, ...subscriptions].map(({ nsid }) => nsid))
  const dispatch: Dispatch = async (name, query, req, res) => {
    const nsid = canonicalNsid(name, config.aliases)
    if (known.has(nsid) || !redirectPageVisit(req, res)) await route(nsid, query, req, res)
  }
  return { streams, dispatch }
}

/** What the layers below refuse for lack of something, told to the client. */
function translate(error: unknown): XrpcError | undefined {
  if (error instanceof StoreUnavailable) {
    return protocolError('NotEnoughResources', 'The server cannot write to its disk at the moment')
  }
  if (error instanceof StoreFull) return protocolError('NotEnoughResources', error.message)
  if (error instanceof PasswordQueueFull) {
    return protocolError(
      'NotEnoughResources',
      'Too many passwords are being checked. Try again in a few seconds.',
    )
  }
  return undefined
}

function hostnamesOf(config: Config): string[] {
  const own = config.publicUrl === undefined ? [] : [new URL(config.publicUrl).hostname]
  return [...config.hostnames, ...own]
}

/** Tells those who are left to be told of posts. */
function notifySubscribers(services: Pick<Services, 'store' | 'notifications' | 'now' | 'background'>): void {
  services.background.run('telling subscribers', () => finishFanOuts(services))
}
