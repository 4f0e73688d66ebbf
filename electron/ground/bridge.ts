/**
 * The bridge: the desktop's offers to the user interface besides the endpoint, as types. The preload script builds it, the
 * main process responds to its calls, the renderer uses it. In a browser there is no bridge.
 *
 * Everything crosses the process boundary as plain data. Failures that a person can act on are values; a rejected promise is a
 * bug.
 */

import type { PlaceInput, PlaceProblems } from '../../server/operation/replicas/places/describe.ts'
import type * as receive from '../../server/operation/replicas/receive.ts'
import type { Restored, RestorePreview } from '../../server/operation/replicas/restores/origins.ts'
import type { PlaceSource } from '../../server/operation/replicas/restores/place-origin.ts'
import type { Config } from '../../server/platform/config/config.ts'
import { keptTexts } from '../../server/platform/config/kept-settings.ts'
import type { MailServer, MailServerProblems } from '../../server/platform/config/mail-server.ts'
import type { InviteRule } from '../../server/platform/config/values.ts'
import type { OutboxMessage } from '../../server/platform/mail/outbox.ts'
import type * as replaced from '../../server/store/backups/replaced.ts'
import type { SalvagePlan } from '../../server/store/backups/salvage.ts'
import type { LogLevel } from '../../server/util/log.ts'
import type { LogLine, LogPage } from '../../server/util/log-tail.ts'
import type { Plain } from './plain.ts'

export type {
  LogLevel,
  LogLine,
  LogPage,
  MailServer,
  MailServerProblems,
  OutboxMessage,
  PlaceInput,
  PlaceProblems,
  Restored,
  RestorePreview,
}

/** The value, or a sentence with the failure and a remedy. */
export type Outcome<T = void> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

export type StartFailure =
  | 'port-taken'
  | 'not-writable'
  | 'damaged'
  | 'too-new'
  | 'too-old'
  | 'already-running'
  /** A wrong setting, or any failure without a screen of its own. */
  | 'other'

export type ServerState =
  | { readonly kind: 'starting' | 'stopping' | 'stopped' }
  | { readonly kind: 'running'; readonly endpoint: string; readonly port: number; readonly since: string }
  | {
      readonly kind: 'failed'
      readonly failure: StartFailure
      /** A sentence that names the file, the folder or the port. */
      readonly message: string
      /** The file or folder concerned, if any. */
      readonly path?: string | undefined
      /** The configured port. */
      readonly port: number
    }

export type Theme = 'system' | 'light' | 'dark'

/**
 * Settings of the server that the page edits as texts, in the format of `server/platform/config/config.ts`, which describes them. An empty
 * text stands for the default.
 */
export const textSettings = [
  ...keptTexts,
  'hostnames',
  'publicUrl',
  'trustedProxies',
  'proxyPort',
  'trustedOrigins',
] as const satisfies readonly (keyof Config)[]
export type TextSetting = (typeof textSettings)[number]

export interface Settings extends Readonly<Record<TextSetting, string>> {
  /** Listen on every address of the machine instead of loopback only. */
  readonly networkAccess: boolean
  readonly inviteRequired: InviteRule
  readonly logLevel: LogLevel
  readonly automaticBackups: boolean
  readonly startAtLogin: boolean
  readonly closeToTray: boolean
  /** Show new notifications in the system, for the reasons whose preference is push. */
  readonly nativeNotifications: boolean
  readonly theme: Theme
  readonly checkForUpdates: boolean
  /** When a computer with a public server may fall asleep by itself: on battery, never, or as usual. */
  readonly keepAwake: 'mains' | 'always' | 'off'
}

/** A sentence per setting that has a wrong value. */
export type SettingProblems<T> = { readonly [Name in keyof T]?: string }

export interface SettingsView {
  readonly settings: Settings
  /** The defaults, which apply where a text is empty. */
  readonly defaults: Settings
  readonly mail: MailServer
  /** The password itself is never returned. */
  readonly hasMailPassword: boolean
  readonly dataFolder: string
  /** Protection of secrets on disk: the system's keyring, or only file permissions. `plain` until the keyring has responded. */
  readonly secretProtection: 'system' | 'plain'
  /** Whether the desktop shows our tray icon, so that the window can close to it. */
  readonly hasTray: boolean
}

/**
 * The state of a public address through Tailscale.
 * - `ready`: it can be opened. `open`: requests arrive. `closed`: they do not, although it was opened.
 * - `consent`: the program waits for the person on a page. `refused`: it ended without consent.
 * - `unclear`: the program's output has another form than known, and is shown.
 */
export type TunnelState =
  | 'absent'
  | 'tooOld'
  | 'notRunning'
  | 'notPermitted'
  | 'signedOut'
  | 'notApproved'
  | 'disconnected'
  | 'offline'
  | 'noName'
  | 'httpsOff'
  | 'notAllowed'
  | 'occupied'
  | 'renamed'
  | 'unclear'
  | 'ready'
  | 'consent'
  | 'refused'
  | 'open'
  | 'closed'

export interface TunnelView {
  readonly state: TunnelState
  /** Whether the public address of the settings is that of the tunnel. */
  readonly isPublic: boolean
  /** The public address that it gives or would give. */
  readonly url?: string | undefined
  /** A page of Tailscale on which the person can go on. */
  readonly page?: string | undefined
  /** The program's own words. */
  readonly detail?: string
  /** The handle that the owner had before the name of this machine. */
  readonly handle?: string | undefined
}

/** Ports at which it can answer. Handles are looked up at 443 only. */
export const tunnelPorts = ['443', '8443', '10000'] as const
export type TunnelPort = (typeof tunnelPorts)[number]

/**
 * The state of a public address through Cloudflare.
 * - `ready`: it can be opened. `open`: requests arrive.
 * - `connecting`: the program has yet to report. `offline`: it is disconnected. `ended`: it ended, with a reason.
 * - `rejected`: Cloudflare refused the token. `locked`: the keyring still has to return the token.
 * - `noRoute`: at Cloudflare the host name leads nowhere. `elsewhere`: it leads to something else.
 */
export type ConnectorState =
  | 'absent'
  | 'tooOld'
  | 'ready'
  | 'connecting'
  | 'rejected'
  | 'locked'
  | 'noRoute'
  | 'elsewhere'
  | 'offline'
  | 'ended'
  | 'open'

export interface ConnectorView {
  readonly state: ConnectorState
  /** Whether the public address of the settings is that of the tunnel. */
  readonly isPublic: boolean
  /** The service to enter at Cloudflare as the target of the host name. */
  readonly target: string
  readonly url?: string
  /** The program's own words, or the other service. */
  readonly detail?: string
  /** The handle that the owner had before the host name. */
  readonly handle?: string | undefined
}

/** @property token of a named tunnel, or the command that contains it */
export interface ConnectorInput {
  readonly host: string
  readonly token: string
}

/** The source of a restore. */
export type RestoreSource =
  /** The backups of this computer. `com.core.admin.listBackups` has more, while the server runs. */
  | { readonly from: 'backups' }
  | PlaceSource
  /** The file of `restore.chooseFile`. */
  | { readonly from: 'file'; readonly passphrase: string | undefined }

/** A state to which the server can be restored. */
export interface RestorePoint {
  /** The time of its last change, which identifies it. */
  readonly at: string
  /** Size of the backup. This member and the next ones are absent for points of places. */
  readonly bytes?: number
  /** Whether damaged pages of the database are left out. */
  readonly isPartial?: boolean
  /** The result of the last check of the backup; absent before the first one. */
  readonly proof?: {
    /** When it was last proven restorable. */
    readonly provenAt?: string | undefined
    /** Why it cannot be restored. */
    readonly problem?: string | undefined
    /** Media files that it lacks, because they were lost. */
    readonly missingMedia?: number | undefined
  }
}

export interface FoundPoints {
  readonly problems: PlaceProblems
  /** Newest first. Empty if there are problems. */
  readonly points: readonly RestorePoint[]
}

/** How far the fetching from a place is. */
export type RestoreProgress = receive.Progress

export type ReplacedData = Plain<replaced.ReplacedData>
/** The effect of opening the intact part of damaged data: kept and lost data. */
export interface SalvagePreview extends Plain<SalvagePlan> {
  /** Why places could not be read that may have damaged pages, in sentences. */
  readonly unread: readonly string[]
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

/** Events that the main process sends to the page. */
export interface DesktopEvents {
  serverState: ServerState
  settings: SettingsView
  /** Number of messages in the outbox. */
  outbox: number
  /** The data of a restore are being fetched from a place. */
  restoreProgress: RestoreProgress
  /** A screen to show, such as `/notifications`, requested by a native notification, the tray, the menu or a link. */
  navigate: string
}

/** Calls by channel: the table that main process, preload script and renderer share. */
export interface DesktopCalls {
  'server.state': () => ServerState
  'server.start': () => ServerState
  'server.stop': () => ServerState
  'server.restart': () => ServerState
  /** A free port, to offer when the configured one is in use. */
  'server.freePort': () => number

  'settings.view': () => SettingsView
  /** Saves all changes and restarts the server if necessary. Saves nothing if any value is wrong. */
  'settings.change': (changes: Partial<Settings>) => SettingProblems<Settings>
  /** Keeps the stored password if `password` is absent; an empty one removes it. */
  'mail.change': (mail: MailServer, password?: string) => MailServerProblems
  /** Tries settings without saving them: connects, signs in and sends a message to the address. */
  'mail.test': (mail: MailServer, password: string | undefined, to: string) => Outcome

  'outbox.list': () => readonly OutboxMessage[]
  'outbox.delete': (id: string) => boolean
  /** Undoes a deletion that was made since the app started. */
  'outbox.restore': (id: string) => boolean
  /** Sends a message in the server's format, with a code that is not valid. */
  'outbox.test': (to: string) => Outcome

  /** Newest first. */
  'backups.replaced': () => readonly ReplacedData[]
  /** Puts a folder with replaced data back whole. Returns the folder that has the present data then. */
  'restore.undo': (name: string) => Outcome<string>
  /** Deletes a folder with replaced data. */
  'backups.forget': (name: string) => Outcome
  /** Asks for a destination, then writes one file with accounts and keys. Undefined if the dialog was cancelled. */
  'backups.export': (passphrase: string | undefined) => Outcome<string | undefined>
  /** Asks for a file: one of `backups.export`, or a backup. Undefined if the dialog was cancelled. */
  'restore.chooseFile': () => Outcome<{ readonly file: string; readonly encrypted: boolean } | undefined>
  /** Lists the states to which the server can be restored; none for a file, which has one. */
  'restore.points': (source: RestoreSource) => FoundPoints
  /** Reads what a restore would bring back as of a time, the newest by default. Fetches it from a place. Changes nothing. */
  'restore.preview': (source: RestoreSource, at?: string) => Outcome<RestorePreview>
  /**
   * Stops the server, restores, and starts the server, which continues the copy of a place. Changes nothing if later changes are lost
   * other than `loss`, which was previewed. After a failure another call continues.
   */
  'restore.run': (source: RestoreSource, at?: string, loss?: string) => Outcome<Restored>
  /** Ends a preview, also one of a salvage, and removes what was fetched for it. */
  'restore.cancel': () => void
  /** Returns the effect of `salvage.run`. Changes nothing. */
  'salvage.preview': () => Outcome<SalvagePreview>
  /**
   * Opens the intact part of damaged data, and starts the server. Changes nothing if the data would come from elsewhere than `from`,
   * which was previewed. The value is the folder that keeps the replaced files.
   */
  'salvage.run': (from: SalvagePreview['from']) => Outcome<string>
  /** Asks for a destination, then writes the account's repository as a CAR file. */
  'repository.export': (did: string) => Outcome<string | undefined>

  /** Removes all second factors of an account, by handle, DID or email address, so that its main password is enough. */
  'factors.remove': (identifier: string) => Outcome

  /** Asks for a folder. Undefined if the dialog was cancelled. */
  'copies.chooseFolder': () => string | undefined
  /** Whether another computer continues the server, so that this one accepts no changes. No session can be opened then. */
  'copies.isElsewhere': () => boolean
  /** Makes this computer the one that continues the server, although another one did. */
  'copies.continue': () => Outcome
  /** Asks for a destination, then writes the text of the recovery sheet to it. Undefined if the dialog was cancelled. */
  'copies.saveSheet': (text: string) => Outcome<string | undefined>
  /** Asks for the file of a recovery sheet. The value is the key in it; undefined if the dialog was cancelled. */
  'copies.chooseKey': () => Outcome<string | undefined>

  /** As `com.core.admin.getLog`, also before a sign-in, and when the server does not start. */
  'logs.read': (cursor?: string) => LogPage

  'tunnel.view': () => TunnelView
  /** Turns the tunnel on and makes the server public. Resolves with `consent` while the person must agree on a page. */
  'tunnel.open': (port: TunnelPort) => TunnelView
  /** Ends a run that waits for consent, and takes everything back. */
  'tunnel.close': () => TunnelView
  /** Remembers a handle, to offer it when everything is taken back, through either program. */
  'tunnel.keepHandle': (handle: string) => void
  /** Opens the page that the last view named. */
  'tunnel.openPage': () => void

  'connector.view': () => ConnectorView
  /** Starts the program. The server becomes public once requests arrive. Returns the problems of the input. */
  'connector.open': (input: ConnectorInput) => SettingProblems<ConnectorInput>
  /** Ends the program and takes everything back. */
  'connector.close': () => void

  'updates.check': () => UpdateState
  'app.openFolder': (which: 'data' | 'backups' | 'logs') => void
  /** Opens the endpoint, the licences of third parties, the page of an update, the source or the official client in the default browser. */
  'app.openPage': (which: 'endpoint' | 'notices' | 'update' | 'source' | 'officialClient') => void
  /** Opens the URL that takes the answer to an app, with the code of its sign-in, in the default browser. */
  'app.openAnswer': (location: string) => Outcome
  'app.quit': () => void
}

export type Channel = keyof DesktopCalls

export interface DesktopBridge {
  /** URL of the server without a trailing slash; while it is stopped, the URL it will have. */
  readonly endpoint: string
  readonly version: {
    readonly app: string
    readonly electron: string
    readonly node: string
    readonly chrome: string
  }
  readonly platform: 'linux' | 'darwin' | 'win32'
  /** Whether package.json names a source page that can be opened. */
  readonly hasSource: boolean
  /** The state at page load; later states are sent as events. */
  readonly initialState: ServerState
  /** Sessions in the system's secret store, as one text. */
  readonly sessions: {
    readonly initial: string | null
    save(sessions: string): void
  }
  /** Where the page is scrolled to when it loads again: a window that is closed to the tray ends its page. */
  readonly initialScroll: number
  /** Reports the scroll position, in CSS pixels. */
  setScroll(scroll: number): void
  /** Whether the page holds changes that quitting would discard. */
  setUnsaved(isUnsaved: boolean): void
  /** Whether more than that would be lost with the page: a dialog, input, a call under way. A closed window then keeps its page. */
  setHeld(isHeld: boolean): void
  call<C extends Channel>(
    channel: C,
    ...args: Parameters<DesktopCalls[C]>
  ): Promise<ReturnType<DesktopCalls[C]>>
  /** @returns a function that removes the listener */
  on<E extends keyof DesktopEvents>(event: E, listener: (value: DesktopEvents[E]) => void): () => void
}
