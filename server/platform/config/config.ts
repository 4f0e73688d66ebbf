/**
 * The settings of the server. One table defines the environment variable, flag, default and check of each, and its line in
 * `--help` and in `.github/SETTINGS.md`.
 *
 * `values.ts` parses values, `nsids.ts` and `aliases.ts` have the names of collections and methods, `rate-limits.ts` the shared limits.
 */

import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import { parseArgs } from 'node:util'
import { LOG_LEVELS } from '../../util/log.ts'
import { shellQuoted } from '../../util/shell.ts'
import * as kinds from './values.ts'

export type Environment = Readonly<Record<string, string | undefined>>

interface Setting<T> {
  /** Its flag is the same name without `PDS_`, in kebab case. */
  readonly env: string
  readonly kind: kinds.Kind<T>
  /** As text; absent when the setting is unset by default. */
  readonly fallback?: string | ((env: Environment) => string)
  /** Describes the default where `fallback` does not. */
  readonly fallbackText?: string
  readonly about: string
  /** Its value never appears in a message. */
  readonly secret?: true
}

const SETTINGS = {
  dataDir: {
    env: 'PDS_DATA_DIR',
    kind: kinds.directory,
    fallback: (env) => defaultDataDir(env),
    fallbackText: "the platform's data folder",
    about: 'Folder for all data of the server.',
  },
  port: {
    env: 'PDS_PORT',
    kind: kinds.port,
    fallback: '2583',
    about: 'Port to listen on; 0 means any free port.',
  },
  hosts: {
    env: 'PDS_HOST',
    kind: kinds.hosts,
    fallback: '127.0.0.1,::1',
    about: 'Addresses to listen on. 0.0.0.0 opens the server to the network.',
  },
  /** Loopback names and the public URL's host are allowed besides. */
  hostnames: {
    env: 'PDS_HOSTNAMES',
    kind: kinds.hostsOrNone,
    fallback: '',
    fallbackText: 'none',
    about: 'Further host names that clients may use for the server.',
  },
  trustedProxies: {
    env: 'PDS_TRUSTED_PROXIES',
    kind: kinds.proxies,
    fallback: '',
    fallbackText: 'none',
    about: 'Reverse proxies whose X-Forwarded-For names the client, such as loopback or 10.0.0.2.',
  },
  proxyPort: {
    env: 'PDS_PROXY_PORT',
    kind: kinds.port,
    fallbackText: 'none',
    about:
      'Further port, on loopback only, for a reverse proxy or tunnel on this computer: all its requests count as from outside, and its X-Forwarded-For names the client.',
  },
  trustedOrigins: {
    env: 'PDS_TRUSTED_ORIGINS',
    kind: kinds.pageOrigins,
    fallback: '',
    fallbackText: 'none',
    about:
      'Origins whose web pages may read a server without a public address as programs do, before a sign-in, such as http://localhost:5173.',
  },
  /** See {@link publicOrigin}. */
  publicUrl: {
    env: 'PDS_PUBLIC_URL',
    kind: kinds.origin,
    fallbackText: 'http://localhost:PORT',
    about: 'Public address of the server, as written into DID documents.',
  },
  userDomains: {
    env: 'PDS_USER_DOMAINS',
    kind: kinds.userDomains,
    fallback: '.test',
    about: 'Domains under which accounts choose their handle.',
  },
  /** See `requiresInvites`. */
  inviteRequired: {
    env: 'PDS_INVITE_REQUIRED',
    kind: kinds.autoOnOff,
    fallback: 'auto',
    about: 'Whether creating an account needs an invite code; auto: with a public address or on the network.',
  },
  inviteInterval: {
    env: 'PDS_INVITE_INTERVAL',
    kind: kinds.duration,
    about: 'How often an account earns an invite code, such as 12h or 7d; never when unset.',
  },
  adminPassword: {
    env: 'PDS_ADMIN_PASSWORD',
    kind: kinds.password,
    fallbackText: 'generated, kept in the data folder',
    about: 'Password of the user admin. A flag shows in the process list, a variable does not.',
    secret: true,
  },
  smtpUrl: {
    env: 'PDS_SMTP_URL',
    kind: kinds.smtpUrl,
    about: 'Mail server, as smtps://user:password@host. Unset: messages are kept in the outbox folder.',
    secret: true,
  },
  mailFrom: {
    env: 'PDS_MAIL_FROM',
    kind: kinds.mailbox,
    fallback: 'Personal data server <no-reply@localhost>',
    about: 'Sender of the mail; most mail servers want an address of their own domain.',
  },
  plcUrl: {
    env: 'PDS_PLC_URL',
    kind: kinds.baseUrl,
    about:
      'Directory that did:plc operations are submitted to. With one, handles of other domains are looked up.',
  },
  nameServers: {
    env: 'PDS_DNS_SERVERS',
    kind: kinds.nameServers,
    fallback: '',
    fallbackText: "the system's",
    about: 'Name servers for names that others choose, such as handles: 9.9.9.9 or 127.0.0.1:5353.',
  },
  /** Set together with `appViewUrl`. */
  appViewDid: {
    env: 'PDS_APP_VIEW_DID',
    kind: kinds.did,
    about: 'DID of an app view that answers application methods; needs its URL. Unset: this server does.',
  },
  appViewUrl: {
    env: 'PDS_APP_VIEW_URL',
    kind: kinds.origin,
    about:
      'URL of the app view. Clients may then also have calls forwarded to services that they name. Mutes apply there and here; it brings no notifications.',
  },
  aliases: {
    env: 'PDS_ALIASES',
    kind: kinds.aliases,
    fallback: 'com.atproto=com.core,app.bsky=app.example,chat.bsky=chat.example',
    about: 'Names that clients of the network use for our namespaces; none allows only our own.',
  },
  oauth: {
    env: 'PDS_OAUTH',
    kind: kinds.onOff,
    fallback: 'on',
    about: 'Whether apps can sign in by OAuth.',
  },
  rateLimits: {
    env: 'PDS_RATE_LIMITS',
    kind: kinds.onOff,
    fallback: 'on',
    about: 'Whether clients that send too many requests are refused for a while.',
  },
  blobUploadLimit: {
    env: 'PDS_BLOB_UPLOAD_LIMIT',
    kind: kinds.byteSize,
    fallback: '300MB',
    about: 'Largest file that an account may upload, such as 300MB or a number of bytes.',
  },
  accountMediaLimit: {
    env: 'PDS_ACCOUNT_MEDIA_LIMIT',
    kind: kinds.byteSize,
    fallback: '1GB',
    about: 'Most bytes of media of an account; the owner has no limit.',
  },
  accountImportLimit: {
    env: 'PDS_ACCOUNT_IMPORT_LIMIT',
    kind: kinds.byteSize,
    fallback: '500MB',
    about: 'Largest repository that an account other than the owner may import.',
  },
  diskReserve: {
    env: 'PDS_DISK_RESERVE',
    kind: kinds.byteSize,
    fallback: '1GB',
    about:
      'Free space of the disk below which new records, accounts, uploads and imports are refused; for records of other servers, twice as much.',
  },
  importLimit: {
    env: 'PDS_IMPORT_LIMIT',
    kind: kinds.byteSize,
    fallback: '1GB',
    about: 'Largest repository that an account may import, such as 1GB or a number of bytes.',
  },
  dailyBackups: {
    env: 'PDS_DAILY_BACKUPS',
    kind: kinds.onOff,
    fallback: 'on',
    about: 'Whether the server makes a backup every day.',
  },
  copies: {
    env: 'PDS_COPIES',
    kind: kinds.copyPlaces,
    fallback: '',
    fallbackText: 'none',
    about:
      'Places that get an encrypted copy of everything, continuously: file:///path, webdav+https://user@host/path, s3://bucket/prefix?endpoint=URL&region=NAME.',
  },
  copiesCredentials: {
    env: 'PDS_COPIES_CREDENTIALS',
    kind: kinds.directory,
    fallbackText: 'copies-credentials.json in the data folder',
    about: 'File with the key of the copies and the passwords of their places; only its owner may read it.',
  },
  copiesBandwidth: {
    env: 'PDS_COPIES_BANDWIDTH',
    kind: kinds.byteSize,
    about: 'Most bytes per second that are sent to a place of copies, such as 500KB; no limit when unset.',
  },
  copiesKeep: {
    env: 'PDS_COPIES_KEEP',
    kind: kinds.weeks,
    fallback: '12',
    about:
      'How many weeks copies can go back: every minute of the last day, every day of the last month, then every week, each of which takes the space of a compressed database.',
  },
  copiesMetered: {
    env: 'PDS_COPIES_METERED',
    kind: kinds.onOff,
    fallback: 'off',
    about:
      'Whether copies to other places than folders go on while the system (Linux with NetworkManager, Windows) says that the network is metered.',
  },
  eventRetention: {
    env: 'PDS_EVENT_RETENTION',
    kind: kinds.duration,
    fallback: '3d',
    about: 'How long other servers can catch up on the event stream of the repositories.',
  },
  eventLimit: {
    env: 'PDS_EVENT_LIMIT',
    kind: kinds.byteSize,
    fallback: '64MB',
    about: 'Most bytes of the event stream that are kept for them.',
  },
  eventBudget: {
    env: 'PDS_EVENT_BUDGET',
    kind: kinds.eventBudget,
    fallback: '2500/10000',
    about:
      'Events that relays accept from this server in an hour and in a day, or off; as soon as most of it is used, accounts that write very much wait.',
  },
  remoteLimit: {
    env: 'PDS_REMOTE_LIMIT',
    kind: kinds.byteSize,
    fallback: '100MB',
    about: 'Most bytes of records of other servers that are kept.',
  },
  relays: {
    env: 'PDS_RELAYS',
    kind: kinds.originsOrNone,
    fallback: '',
    fallbackText: 'none',
    about: 'Relays that are asked to read this server, if it has a public address.',
  },
  backlinkStreamUrl: {
    env: 'PDS_BACKLINK_STREAM_URL',
    kind: kinds.baseUrl,
    about: 'Service that sends new activity about accounts here; it learns which accounts live here.',
  },
  backlinkIndexUrl: {
    env: 'PDS_BACKLINK_INDEX_URL',
    kind: kinds.baseUrl,
    about: 'Service that is asked for activity about accounts here and their posts that was missed.',
  },
  upstreams: {
    env: 'PDS_UPSTREAMS',
    kind: kinds.originsOrNone,
    fallback: '',
    fallbackText: 'none',
    about: 'Servers whose event streams are read for activity that concerns accounts here.',
  },
  allowPrivateTargets: {
    env: 'PDS_ALLOW_PRIVATE_TARGETS',
    kind: kinds.onOff,
    fallback: 'off',
    about: 'Whether the server may send requests to loopback and private addresses.',
  },
  logLevel: {
    env: 'PDS_LOG_LEVEL',
    kind: kinds.oneOf(LOG_LEVELS),
    fallback: 'info',
    about: `Least level that is logged: ${LOG_LEVELS.join(', ')}.`,
  },
  privacyUrl: {
    env: 'PDS_PRIVACY_URL',
    kind: kinds.webUrl,
    about: 'Privacy policy, for describeServer.',
  },
  termsUrl: {
    env: 'PDS_TERMS_URL',
    kind: kinds.webUrl,
    about: 'Terms of service, for describeServer.',
  },
  contactEmail: {
    env: 'PDS_CONTACT_EMAIL',
    kind: kinds.emailAddress,
    about: 'Email address of the operator, for describeServer.',
  },
} satisfies Readonly<Record<string, Setting<unknown>>>

/** The values of the settings, as their kinds parse them. One without a fallback can be undefined. */
export type Config = { readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> }

type ValueOf<S> = S extends { readonly kind: kinds.Kind<infer T> }
  ? T | (S extends { readonly fallback: unknown } ? never : undefined)
  : never

/** One sentence that names the variable or flag, its value (unless secret) and the expected form. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** What a process was started with. */
export interface ConfigSource {
  readonly env: Environment
  readonly args: readonly string[]
}

/**
 * Reads the settings: flags first, then the environment, then what the owner has set in the interface, then the defaults. An empty
 * variable counts as unset.
 * @throws {ConfigError} at the first invalid value or unknown flag.
 */
export function readConfig(source: ConfigSource, kept: ConfigTexts = {}): Config {
  const flags = readFlags(source.args)
  const values = Object.entries(SETTINGS).map(([name, setting]) => [
    name,
    readSetting(setting, flags, source.env, kept[name as keyof Config]),
  ])
  const config = Object.fromEntries(values) as Config
  if ((config.appViewDid === undefined) !== (config.appViewUrl === undefined)) {
    throw new ConfigError('PDS_APP_VIEW_DID and PDS_APP_VIEW_URL must be set together.')
  }
  return config
}

/** How the process was started, so that a command can start the same server again. */
export interface StartOptions {
  readonly options: readonly StartOption[]
  /** Variables of settings whose value is secret. */
  readonly secrets: readonly string[]
}

export interface StartOption {
  /** Without the dashes. */
  readonly flag: string
  /** For a shell of this system. */
  readonly text: string
}

/** Returns the settings that flags and the environment give, as flags. Folders are absolute. @throws {ConfigError} */
export function startOptions({ env, args }: ConfigSource): StartOptions {
  const flags = readFlags(args)
  const options: StartOption[] = []
  const secrets: string[] = []
  for (const setting of Object.values<Setting<unknown>>(SETTINGS)) {
    const flag = flagOf(setting)
    const text = flags.get(flag) ?? env[setting.env]
    if (!text) continue
    if (setting.secret) secrets.push(setting.env)
    else options.push({ flag, text: optionText(setting, text) })
  }
  return { options, secrets }
}

function optionText(setting: Setting<unknown>, text: string): string {
  const { kind } = setting
  const value = shellQuoted(kind === kinds.directory ? (kinds.directory.parse(text) ?? text) : text)
  return `--${flagOf(setting)}${kind.placeholder ? ' ' : '='}${value}`
}

/** Settings as text, for a program that embeds the server. An empty text means the default. */
export type ConfigTexts = { readonly [Name in keyof Config]?: string }

/**
 * As {@link readConfig}, with texts in the place of flags.
 * @throws {ConfigError} at the first invalid value.
 */
export function configFrom(texts: ConfigTexts, env: Environment): Config {
  const written = Object.entries(texts).filter(([, text]) => text)
  const variables = written.map(([name, text]) => [SETTINGS[name as keyof Config].env, text])
  return readConfig({ env: { ...env, ...Object.fromEntries(variables) }, args: [] })
}

/** Returns the flag or the variable that gives a setting, with its text; undefined if the command gives none. */
export function givenBy(
  name: keyof Config,
  { env, args }: ConfigSource,
): { readonly by: string; readonly text: string } | undefined {
  const setting: Setting<unknown> = SETTINGS[name]
  const flag = readFlags(args).get(flagOf(setting))
  if (flag !== undefined) return { by: `--${flagOf(setting)}`, text: flag }
  const variable = env[setting.env]
  return variable ? { by: setting.env, text: variable } : undefined
}

/** Returns a sentence with the expected form of a setting; undefined for a valid or empty text. */
export function problemWith(name: keyof Config, text: string): string | undefined {
  const kind: kinds.Kind<unknown> = SETTINGS[name].kind
  return text === '' || kind.parse(text) !== undefined ? undefined : `This must be ${kind.expected}.`
}

/** Returns the text of a setting from the environment, else its default; empty when it is unset. */
export function defaultText(name: keyof Config, env: Environment): string {
  const setting: Setting<unknown> = SETTINGS[name]
  return env[setting.env] || fallbackOf(setting, env) || ''
}

/** The defaults with `overrides`, for a program that embeds the server. Ignores the environment. */
export function defaultConfig(overrides: Partial<Config> & Pick<Config, 'dataDir'>): Config {
  return { ...readConfig({ env: {}, args: [] }), ...overrides }
}

/** Whether a backlink service may report activity. None reports deletions. */
export function namesBacklinkService({
  backlinkStreamUrl,
  backlinkIndexUrl,
}: Pick<Config, 'backlinkStreamUrl' | 'backlinkIndexUrl'>): boolean {
  return backlinkStreamUrl !== undefined || backlinkIndexUrl !== undefined
}

/** Returns the origin that DID documents name. @param port the bound one */
export function publicOrigin(config: Config, port: number): string {
  return config.publicUrl ?? `http://localhost:${port}`
}

/** Returns the default data folder, among the platform's application data: XDG base directory, Application Support, %APPDATA%. */
export function defaultDataDir(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  switch (platform) {
    case 'win32':
      return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), 'Desktop PDS')
    case 'darwin':
      return posix.join(home, 'Library', 'Application Support', 'Desktop PDS')
    default: {
      // A relative XDG_DATA_HOME must be ignored (XDG base directory specification).
      const data = env.XDG_DATA_HOME?.startsWith('/')
        ? env.XDG_DATA_HOME
        : posix.join(home, '.local', 'share')
      return posix.join(data, 'desktop-pds')
    }
  }
}

/** Returns the list of options in `--help`. */
export function helpText(env: Environment = process.env): string {
  const lines = Object.values(SETTINGS).map((setting: Setting<unknown>) => {
    const fallback = fallbackOf(setting, env) || setting.fallbackText || 'unset'
    const value = setting.kind.placeholder ? ` ${setting.kind.placeholder}` : '[=on|off]'
    return `  --${flagOf(setting)}${value}\n      ${setting.about} [${setting.env}; ${fallback}]\n`
  })
  return lines.join('')
}

/** Returns the settings as a Markdown table, for `.github/SETTINGS.md`. */
export function settingsTable(): string {
  const rows = Object.values(SETTINGS).map((setting: Setting<unknown>) => {
    const fallback = setting.fallbackText ?? (setting.fallback ? `\`${setting.fallback}\`` : 'unset')
    return `| \`${setting.env}\` | \`--${flagOf(setting)}\` | ${fallback} | ${setting.about} |`
  })
  return ['| Variable | Flag | Default | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n')
}

function flagOf(setting: Setting<unknown>): string {
  return setting.env.replace(/^PDS_/, '').toLowerCase().replaceAll('_', '-')
}

function fallbackOf(setting: Setting<unknown>, env: Environment): string | undefined {
  return typeof setting.fallback === 'function' ? setting.fallback(env) : setting.fallback
}

function readSetting(
  setting: Setting<unknown>,
  flags: ReadonlyMap<string, string>,
  env: Environment,
  kept: string | undefined,
): unknown {
  const flag = flagOf(setting)
  const text = flags.get(flag) ?? (env[setting.env] || kept || fallbackOf(setting, env))
  if (text === undefined) return undefined
  const value = setting.kind.parse(text)
  if (value !== undefined) return value
  const name = flags.has(flag) ? `--${flag}` : setting.env
  const fault = setting.secret ? 'has an invalid value' : `is ${JSON.stringify(text)}`
  throw new ConfigError(`${name} ${fault}; expected ${setting.kind.expected}.`)
}

/** Returns the text of each flag. A switch is `--name`, `--no-name` or `--name=off`; the last of repeated flags wins. */
function readFlags(args: readonly string[]): ReadonlyMap<string, string> {
  const settings = new Map(Object.values(SETTINGS).map((setting) => [flagOf(setting), setting]))
  const options = Object.fromEntries(
    Array.from(settings, ([flag, { kind }]) => [
      flag,
      { type: kind.placeholder ? ('string' as const) : ('boolean' as const) },
    ]),
  )
  const flags = new Map<string, string>()
  // Not strict: its messages are several sentences long and repeat the value of a secret.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') {
      throw new ConfigError(
        `Unexpected argument ${token.kind === 'positional' ? JSON.stringify(token.value) : '--'}; expected --name value, or --name=off for a switch.`,
      )
    }
    const negated = token.name.replace(/^no-/, '')
    const isNegation = negated !== token.name && options[negated]?.type === 'boolean' && !token.inlineValue
    const flag = isNegation ? negated : token.name
    const setting = settings.get(flag)
    if (!setting) throw new ConfigError(`Unknown flag ${token.rawName}; --help lists the known ones.`)
    const text = token.value ?? (options[flag]?.type === 'boolean' ? (isNegation ? 'off' : 'on') : undefined)
    if (text === undefined || (!token.inlineValue && text.startsWith('--'))) {
      throw new ConfigError(`${token.rawName} has no value; expected ${setting.kind.expected}.`)
    }
    flags.set(flag, text)
  }
  return flags
}
