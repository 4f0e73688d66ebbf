/** Creates the parts that all others build on: identity of the server, log, clock, background tasks, look-ups, mail. */
import type { DidString } from '@atproto/syntax'
import type { Database } from '../store/database.ts'
import type { Files } from '../store/files/files.ts'
import { type Background, createBackground } from '../util/background.ts'
import type { Logger } from '../util/log.ts'
import type { LogTail } from '../util/log-tail.ts'
import type { TrustedClock } from './clock/trusted-clock.ts'
import { createNames, type Names } from './config/aliases.ts'
import { type Config, publicOrigin, type StartOptions } from './config/config.ts'
import type { KeptSettings } from './config/kept-settings.ts'
import { type CountMail, createCountMail } from './mail/mail-limit.ts'
import { createMailer, type Mailer } from './mail/mailer.ts'
import { createFindForOthers, type FindAddresses } from './network/names.ts'
import { createVisitors, type Visitors } from './xrpc/visitors.ts'

/** Work that was refused for lack of room, since the start of the server. */
export interface Refusals {
  /** Look-ups at other servers whose requester had too many under way. */
  lookups: number
  /** Calls of other services that were refused because too many were under way, or unread. */
  calls: number
  /** Consumers of the event stream that got no place, or lost it to another network. */
  consumers: number
}

export interface Platform {
  readonly config: Config
  readonly names: Names
  readonly store: Database
  /** The file system of the data folder. */
  readonly files: Files
  readonly log: Logger
  /** The last lines of the log. Empty if the logger is of another program, which did not name it. */
  readonly logTail: LogTail
  readonly now: () => Date
  /** Whether the time of this machine can be right. */
  readonly clock: TrustedClock
  /** Aborts when the server closes. */
  readonly signal: AbortSignal
  /** The port that is bound. */
  readonly port: number
  /** The bound port for proxies and tunnels; undefined without one. */
  readonly proxyPort: number | undefined
  /** Runs jobs of worker threads on the main thread, for simulations. Jobs on files in memory always run there. */
  readonly inlineJobs?: boolean | undefined
  /** True for a server of a network for tests, undefined for others. Pages show it. */
  readonly isForTests?: true | undefined
  /** The settings that the owner can change over HTTP; undefined for a server in another program. */
  readonly settings?: KeptSettings | undefined
  /** How the process was started; undefined for a server in another program. */
  readonly startedWith?: StartOptions | undefined
  /** Public URL of this server, without a trailing slash; in DID documents. */
  readonly origin: string
  /** The origin in did:plc operations: `origin`, but in a network for tests, whose directory shows `origin` in documents. */
  readonly plcOrigin: string
  /** did:web of the origin's host. */
  readonly serverDid: DidString
  readonly background: Background
  readonly refusals: Refusals
  /** Finds addresses of hosts that other parties name. */
  readonly findAddresses: FindAddresses
  readonly mailer: Mailer
  readonly countMail: CountMail
  readonly visitors: Visitors
}

export interface PlatformOptions
  extends Pick<
    Platform,
    | 'config'
    | 'store'
    | 'files'
    | 'log'
    | 'logTail'
    | 'now'
    | 'clock'
    | 'signal'
    | 'port'
    | 'proxyPort'
    | 'inlineJobs'
    | 'isForTests'
    | 'startedWith'
    | 'settings'
  > {
  /** Called when a message was kept in the outbox. */
  readonly onMailKept?: (() => void) | undefined
  /** The origin of the server by default. */
  readonly plcOrigin?: string | undefined
}

export function createPlatform({ onMailKept, plcOrigin, ...base }: PlatformOptions): Platform {
  const { config, files, log, now, port } = base
  const origin = publicOrigin(config, port)
  return {
    ...base,
    names: createNames(config.aliases),
    origin,
    plcOrigin: plcOrigin ?? origin,
    serverDid: `did:web:${encodeURIComponent(new URL(origin).host)}`,
    background: createBackground(log),
    visitors: createVisitors({ ...config, now }),
    refusals: { lookups: 0, calls: 0, consumers: 0 },
    findAddresses: createFindForOthers({
      nameServers: config.nameServers,
      allowPrivate: config.allowPrivateTargets,
    }),
    countMail: createCountMail(config.rateLimits),
    mailer: createMailer({
      smtpUrl: config.smtpUrl,
      from: config.mailFrom,
      dataDir: config.dataDir,
      files,
      now,
      log,
      onKept: onMailKept,
    }),
  }
}

/** What parts that look names up at other servers share. */
export function lookupsOf({ findAddresses, refusals }: Pick<Platform, 'findAddresses' | 'refusals'>) {
  return { findAddresses, onRefused: () => void refusals.lookups++ }
}

/** Logs that a worker file cannot be loaded: its work is done on the main thread. */
export function warnOfWorker({ log }: Pick<Platform, 'log'>): (error: unknown) => void {
  return (error) => log.warn({ err: error }, 'worker cannot be loaded')
}
