/**
 * What the desktop gives to the user interface beside the endpoint: types only, shared by the preload script, which builds it,
 * the main process, which answers it, and the renderer, which uses it. In a browser there is no bridge.
 *
 * Everything crosses the process boundary as plain data. Answers that a person must be told about are values; a rejected
 * promise is a bug.
 */

/** Either it was done, or a sentence says why not and what to do. */
export type Outcome<T = undefined> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

export type StartFailure =
  | 'port-taken'
  | 'not-writable'
  | 'damaged'
  | 'too-new'
  | 'already-running'
  /** A setting is wrong, or something that has no screen of its own. */
  | 'other'

export type ServerState =
  | { readonly kind: 'starting' | 'stopping' | 'stopped' }
  | { readonly kind: 'running'; readonly endpoint: string; readonly port: number; readonly since: string }
  | {
      readonly kind: 'failed'
      readonly failure: StartFailure
      /** A sentence that names the file, the folder or the port. */
      readonly message: string
      /** The file or folder it is about, where there is one. */
      readonly path?: string
      /** The port that was wanted. */
      readonly port: number
    }

export type Theme = 'system' | 'light' | 'dark'
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** Texts are as a person writes them, in the form that the server's own settings take; an empty one is the default. */
export interface Settings {
  readonly port: string
  /** Listens on every address of the machine instead of loopback only. */
  readonly networkAccess: boolean
  /** Further names by which clients on the network address it, with commas. */
  readonly hostnames: string
  readonly publicUrl: string
  /** With commas, each with its leading dot. */
  readonly userDomains: string
  readonly inviteRequired: boolean
  /** Such as `7d`; empty: codes are not earned. */
  readonly inviteInterval: string
  /** As `from=to` pairs with commas; `none` for none. */
  readonly aliases: string
  readonly plcUrl: string
  readonly logLevel: LogLevel
  readonly automaticBackups: boolean
  readonly startAtLogin: boolean
  readonly closeToTray: boolean
  /** Whether arrivals are shown by the system, for the reasons whose preference is to push. */
  readonly nativeNotifications: boolean
  readonly theme: Theme
  readonly checkForUpdates: boolean
}

/** How to send mail; without a host, messages stay in the outbox. */
export interface MailSettings {
  readonly host: string
  readonly port: string
  readonly security: 'tls' | 'starttls' | 'none'
  readonly user: string
  /** `address` or `Name <address>`. */
  readonly from: string
}

/** What settings a change could not be made to, by name, each with a sentence. */
export type SettingProblems<T> = { readonly [Name in keyof T]?: string }

export interface SettingsView {
  readonly settings: Settings
  /** What an empty text stands for. */
  readonly defaults: Settings
  readonly mail: MailSettings
  /** The password itself never comes back. */
  readonly hasMailPassword: boolean
  readonly dataFolder: string
  /** What protects secrets at rest on this machine: the system's keyring, or only the permissions of the file. */
  readonly secretProtection: 'system' | 'plain'
  /** Whether there is a tray to close to. */
  readonly hasTray: boolean
}

export interface OutboxMessage {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly code?: string
  /** Why SMTP did not take it, when it was tried. */
  readonly failure?: string
}

export interface Backup {
  /** File name in the folder of backups. */
  readonly name: string
  readonly createdAt: string
  readonly bytes: number
}

/** What a backup holds, read from the file itself. */
export interface BackupContent {
  readonly createdAt: string
  readonly bytes: number
  readonly handles: readonly string[]
  readonly records: number
  readonly notifications: number
}

export interface LogLine {
  readonly time: string
  readonly level: Exclude<LogLevel, 'silent'>
  readonly message: string
  /** The rest of the line's fields as JSON, secrets already taken out; empty when there is none. */
  readonly fields: string
}

export type UpdateState =
  | { readonly kind: 'current'; readonly checkedAt: string }
  | {
      readonly kind: 'available'
      readonly version: string
      readonly page: string
      readonly checkedAt: string
    }
  | { readonly kind: 'unknown'; readonly message: string }

/** What the main process tells without being asked. */
export interface DesktopEvents {
  serverState: ServerState
  settings: SettingsView
  /** How many messages the outbox holds. */
  outbox: number
  log: LogLine
  /** A screen to show, such as `/notifications`: from a native notification, the tray, the menu or a link. */
  navigate: string
}

/** Calls, by channel: the one table that main, preload and renderer agree on. */
export interface DesktopCalls {
  'server.state': () => ServerState
  'server.start': () => ServerState
  'server.stop': () => ServerState
  'server.restart': () => ServerState
  /** A port that is free now, to offer when the wanted one is taken. */
  'server.freePort': () => number

  'settings.view': () => SettingsView
  /** Saves what is good and restarts the server when it has to; nothing is saved when one is wrong. */
  'settings.change': (changes: Partial<Settings>) => SettingProblems<Settings>
  /** `password` left out keeps the one there is. */
  'mail.change': (mail: MailSettings, password?: string) => SettingProblems<MailSettings>
  /** Tries the settings without saving them: connects, signs in and sends a message to the address. */
  'mail.test': (mail: MailSettings, password: string | undefined, to: string) => Outcome

  'outbox.list': () => readonly OutboxMessage[]
  'outbox.delete': (id: string) => boolean
  /** Undoes a deletion made since the app was started. */
  'outbox.restore': (id: string) => boolean
  /** A message with a made-up code, as one of the server's own would come. */
  'outbox.test': (to: string) => Outcome

  'backups.list': () => readonly Backup[]
  'backups.make': () => Outcome<Backup>
  /** Its checksum and SQLite's integrity check. */
  'backups.check': (name: string) => Outcome
  'backups.preview': (name: string) => Outcome<BackupContent>
  /** Stops the server, puts the backup in place, starts it again. The value is the folder that keeps what was there. */
  'backups.restore': (name: string) => Outcome<string>
  /** Asks where, then writes one file with accounts and keys. Undefined: the person changed their mind. */
  'backups.export': (passphrase: string | undefined) => Outcome<string | undefined>
  /** Asks for a file of `backups.export` or a backup. The file stays chosen for `backups.import`. */
  'backups.choose': () => Outcome<{ readonly file: string; readonly encrypted: boolean } | undefined>
  'backups.previewChosen': (passphrase: string | undefined) => Outcome<BackupContent>
  'backups.import': (passphrase: string | undefined) => Outcome<string>
  /** Asks where, then writes the account's repository as a CAR file. */
  'repository.export': (did: string) => Outcome<string | undefined>

  /** The newest last. */
  'logs.tail': () => readonly LogLine[]

  'updates.check': () => UpdateState
  'app.openFolder': (which: 'data' | 'backups' | 'logs') => undefined
  /** Opens the endpoint, or the page of an update, in the person's browser. */
  'app.openPage': (which: 'endpoint' | 'update' | 'source') => undefined
  'app.quit': () => undefined
}

export type Channel = keyof DesktopCalls

export interface DesktopBridge {
  /** Where the server listens, without a trailing slash; where it would, while it does not run. */
  readonly endpoint: string
  readonly version: {
    readonly app: string
    readonly electron: string
    readonly node: string
    readonly chrome: string
  }
  readonly platform: 'linux' | 'darwin' | 'win32'
  /** Whether this build says where its source is, so that there is a page to open. */
  readonly hasSource: boolean
  /** The state when the page was loaded; later ones come as events. */
  readonly initialState: ServerState
  /** Sessions kept by the system's secret store, as one text. */
  readonly sessions: {
    readonly initial: string | null
    save(sessions: string): void
  }
  /** How many notifications are unread over all accounts: the badge of the app's icon. */
  setUnread(count: number): void
  /** Whether the page holds something that ending the program would lose. */
  setUnsaved(isUnsaved: boolean): void
  call<C extends Channel>(
    channel: C,
    ...args: Parameters<DesktopCalls[C]>
  ): Promise<ReturnType<DesktopCalls[C]>>
  /** @returns a function that ends it */
  on<E extends keyof DesktopEvents>(event: E, listener: (value: DesktopEvents[E]) => void): () => void
}
