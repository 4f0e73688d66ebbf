/** The desktop's settings, kept by electron-store: their shape, their checks, and what the server makes of them. */
import { renameSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import Store from 'electron-store'
import {
  type Config,
  type ConfigTexts,
  configFrom,
  defaultText,
  problemWith,
} from '../server/config/config.ts'
import { LOG_LEVELS } from '../server/util/log.ts'
import type { SettingProblems, Settings } from './bridge.ts'
import { defaultMail, type Mail } from './mail-settings.ts'
import type { WindowPlace } from './window-place.ts'

/** All that the file holds. */
interface Kept {
  settings: Settings
  mail: Mail
  window: WindowPlace | null
  /** Whether it was said that a closed window leaves the server running. */
  closeNoticeShown: boolean
}

export interface SettingsFile {
  get<Name extends keyof Kept>(name: Name): Kept[Name]
  set<Name extends keyof Kept>(name: Name, value: Kept[Name]): void
}

export const themes = ['system', 'light', 'dark'] as const

const initial: Settings = {
  port: '',
  networkAccess: false,
  hostnames: '',
  publicUrl: '',
  userDomains: '',
  inviteRequired: false,
  inviteInterval: '',
  aliases: '',
  plcUrl: '',
  logLevel: 'info',
  automaticBackups: true,
  startAtLogin: false,
  closeToTray: true,
  nativeNotifications: true,
  theme: 'system',
  checkForUpdates: true,
}

const words: Readonly<Record<string, readonly string[]>> = { logLevel: LOG_LEVELS, theme: themes }

const shapeOf = (values: object) => ({
  type: 'object' as const,
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      { type: typeof value as 'string' | 'boolean', ...(words[name] && { enum: [...words[name]] }) },
    ]),
  ),
})

const schema = {
  settings: shapeOf(initial),
  mail: { ...shapeOf(defaultMail), required: Object.keys(defaultMail) },
  window: {
    type: ['object', 'null'] as ('object' | 'null')[],
    properties: Object.fromEntries(
      ['x', 'y', 'width', 'height'].map((name) => [name, { type: 'integer' as const }]),
    ),
  },
  closeNoticeShown: { type: 'boolean' as const },
}

/** What a file of an earlier version needs, by the version that changed it. */
const migrations = {
  /** Settings of the server lay beside everything else. */
  '0.1.0': (store: Pick<Store<Kept>, 'store'>) => {
    const flat = store.store as Partial<Settings> & Kept
    const moved = Object.fromEntries(
      Object.keys(initial).flatMap((name) => (name in flat ? [[name, flat[name as keyof Settings]]] : [])),
    )
    if (Object.keys(moved).length === 0) return
    const { settings, mail, window, closeNoticeShown } = flat
    store.store = { settings: { ...settings, ...moved }, mail, window, closeNoticeShown }
  },
}

/**
 * Opens the file in the desktop's own folder. One that cannot be understood is moved aside, and the defaults hold.
 * @param onDamage told where the file is now
 */
export function openSettings(folder: string, onDamage: (movedTo: string) => void): SettingsFile {
  const open = () =>
    new Store<Kept>({
      cwd: folder,
      name: 'settings',
      configFileMode: 0o600,
      schema,
      migrations,
      defaults: { settings: initial, mail: defaultMail, window: null, closeNoticeShown: false },
    })
  let store: Store<Kept>
  try {
    store = open()
  } catch {
    const file = `${folder}/settings.json`
    const movedTo = `${file}.damaged`
    renameSync(file, movedTo)
    onDamage(movedTo)
    store = open()
  }
  return {
    // A file of an earlier version lacks what was added since.
    get(name) {
      const kept = store.store
      return { ...kept, settings: { ...initial, ...kept.settings } }[name]
    },
    set(name, value) {
      store.set({ [name]: value } as Partial<Kept>)
    },
  }
}

/** The settings that the server reads, by its own names for them. */
const ofServer = {
  port: 'port',
  hostnames: 'hostnames',
  publicUrl: 'publicUrl',
  userDomains: 'userDomains',
  inviteInterval: 'inviteInterval',
  aliases: 'aliases',
  plcUrl: 'plcUrl',
} as const satisfies Partial<Record<keyof Settings, keyof Config>>

/** A change of one of these takes a restart of the server. */
export const restarting: readonly (keyof Settings)[] = [
  ...(Object.keys(ofServer) as (keyof typeof ofServer)[]),
  'networkAccess',
  'inviteRequired',
  'automaticBackups',
]

/** What an empty text stands for. */
export function defaultSettings(env = process.env): Settings {
  const texts = Object.entries(ofServer).map(([name, own]) => [name, defaultText(own, env)])
  return { ...initial, ...Object.fromEntries(texts) }
}

/** Whether a value that came from a page is a change of settings, be its texts right or wrong. */
export function isSettingsChange(value: unknown): value is Partial<Settings> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(value).every(([name, one]) => {
    if (!Object.hasOwn(initial, name) || typeof one !== typeof initial[name as keyof Settings]) return false
    return typeof one !== 'string' || (one.length <= 2000 && (words[name]?.includes(one) ?? true))
  })
}

/** A sentence for each text that is not what its setting takes. */
export function problemsOf(changes: Partial<Settings>): SettingProblems<Settings> {
  const problems: { -readonly [Name in keyof Settings]?: string } = {}
  for (const [name, own] of Object.entries(ofServer) as [keyof typeof ofServer, keyof Config][]) {
    const problem = problemWith(own, changes[name] ?? '')
    if (problem) problems[name] = problem
  }
  // Clients keep the address, so it must not change with every start.
  if (/^0+$/.test(changes.port ?? '')) problems.port = 'This must be a port from 1 to 65535.'
  return problems
}

/** The server's configuration: the settings first, then the environment, then the defaults. */
export function serverConfig(
  dataDir: string,
  settings: Settings,
  mail: { readonly smtpUrl: string; readonly mailFrom: string },
  env = process.env,
): Config {
  const own = Object.entries(ofServer).map(([name, theirs]) => [
    theirs,
    settings[name as keyof typeof ofServer],
  ])
  const texts: ConfigTexts = {
    ...Object.fromEntries(own),
    ...mail,
    dataDir,
    // The network by IPv4; this machine by either, for `localhost` may mean ::1.
    hosts: settings.networkAccess ? '0.0.0.0,::1' : '',
    inviteRequired: settings.inviteRequired ? 'on' : '',
    dailyBackups: settings.automaticBackups ? '' : 'off',
    logLevel: settings.logLevel,
  }
  const config = configFrom(texts, env)
  return settings.networkAccess
    ? { ...config, hostnames: [...config.hostnames, ...namesOfMachine()] }
    : config
}

/** What others on the network may call this machine. An address is not a name that a page could rebind. */
function namesOfMachine(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? [])
  const name = hostname().toLowerCase()
  return [...addresses.map(({ address }) => address), name, `${name.replace(/\.local$/, '')}.local`]
}
