/** The desktop's settings in electron-store: schema, checks, and conversion to the server's configuration. */
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
import { inviteRules } from '../server/config/values.ts'
import { LOG_LEVELS } from '../server/util/log.ts'
import type { SettingProblems, Settings } from './bridge.ts'
import { defaultMail, type Mail } from './mail-settings.ts'
import type { WindowPlace } from './window-place.ts'

/** Content of the settings file. */
interface Content {
  settings: Settings
  mail: Mail
  window: WindowPlace | null
  /** Whether the notice that a closed window leaves the server running was shown. */
  closeNoticeShown: boolean
}

export interface SettingsFile {
  get<Name extends keyof Content>(name: Name): Content[Name]
  set<Name extends keyof Content>(name: Name, value: Content[Name]): void
}

export const themes = ['system', 'light', 'dark'] as const

const initial: Settings = {
  port: '',
  networkAccess: false,
  hostnames: '',
  publicUrl: '',
  trustedProxies: '',
  userDomains: '',
  inviteRequired: 'auto',
  inviteInterval: '',
  aliases: '',
  plcUrl: '',
  relays: '',
  appViewDid: '',
  appViewUrl: '',
  backlinkStreamUrl: '',
  backlinkIndexUrl: '',
  recordCacheUrl: '',
  logLevel: 'info',
  automaticBackups: true,
  startAtLogin: false,
  closeToTray: true,
  nativeNotifications: true,
  theme: 'system',
  checkForUpdates: true,
}

const choices: Readonly<Record<string, readonly string[]>> = {
  logLevel: LOG_LEVELS,
  theme: themes,
  inviteRequired: inviteRules,
}

const shapeOf = (values: object) => ({
  type: 'object' as const,
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      { type: typeof value as 'string' | 'boolean', ...(choices[name] && { enum: [...choices[name]] }) },
    ]),
  ),
})

const schema = {
  settings: {
    ...shapeOf(initial),
    properties: {
      ...shapeOf(initial).properties,
      // A switch in earlier versions.
      inviteRequired: { type: ['string', 'boolean'] as ('string' | 'boolean')[] },
    },
  },
  mail: { ...shapeOf(defaultMail), required: Object.keys(defaultMail) },
  window: {
    type: ['object', 'null'] as ('object' | 'null')[],
    properties: Object.fromEntries(
      ['x', 'y', 'width', 'height'].map((name) => [name, { type: 'integer' as const }]),
    ),
  },
  closeNoticeShown: { type: 'boolean' as const },
}

/** Migrations of the settings file, by the version that changed the format. */
const migrations = {
  /** Before, the settings were at the top level. */
  '0.1.0': (store: Pick<Store<Content>, 'store'>) => {
    const flat = store.store as Partial<Settings> & Content
    const moved = Object.fromEntries(
      Object.keys(initial).flatMap((name) => (name in flat ? [[name, flat[name as keyof Settings]]] : [])),
    )
    if (Object.keys(moved).length === 0) return
    const { settings, mail, window, closeNoticeShown } = flat
    store.store = { settings: { ...settings, ...moved }, mail, window, closeNoticeShown }
  },
}

/**
 * Opens the settings file. A file that cannot be parsed is renamed, and the defaults apply.
 * @param onDamage called with the new path of a damaged file
 */
export function openSettings(folder: string, onDamage: (movedTo: string) => void): SettingsFile {
  const open = () =>
    new Store<Content>({
      cwd: folder,
      name: 'settings',
      configFileMode: 0o600,
      schema,
      migrations,
      defaults: { settings: initial, mail: defaultMail, window: null, closeNoticeShown: false },
    })
  let store: Store<Content>
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
    // A file of an earlier version lacks newer settings.
    get(name) {
      const kept = store.store
      const settings = { ...initial, ...kept.settings }
      const inviteRequired = inviteRuleOf(settings.inviteRequired)
      return { ...kept, settings: { ...settings, inviteRequired } }[name]
    },
    set(name, value) {
      store.set({ [name]: value } as Partial<Content>)
    },
  }
}

/** Reads the rule, which earlier versions stored as a switch that was off by default. */
function inviteRuleOf(stored: unknown): Settings['inviteRequired'] {
  if (stored === true) return 'on'
  return inviteRules.find((rule) => rule === stored) ?? 'auto'
}

/** The settings that the server reads, with the server's names. */
const ofServer = {
  port: 'port',
  hostnames: 'hostnames',
  publicUrl: 'publicUrl',
  trustedProxies: 'trustedProxies',
  userDomains: 'userDomains',
  inviteInterval: 'inviteInterval',
  aliases: 'aliases',
  plcUrl: 'plcUrl',
  relays: 'relays',
  appViewDid: 'appViewDid',
  appViewUrl: 'appViewUrl',
  backlinkStreamUrl: 'backlinkStreamUrl',
  backlinkIndexUrl: 'backlinkIndexUrl',
  recordCacheUrl: 'recordCacheUrl',
} as const satisfies Partial<Record<keyof Settings, keyof Config>>

/** A change of one of these restarts the server. */
export const restarting: readonly (keyof Settings)[] = [
  ...(Object.keys(ofServer) as (keyof typeof ofServer)[]),
  'networkAccess',
  'inviteRequired',
  'automaticBackups',
]

/** The settings with the defaults that apply where a text is empty. */
export function defaultSettings(env = process.env): Settings {
  const texts = Object.entries(ofServer).map(([name, own]) => [name, defaultText(own, env)])
  return { ...initial, ...Object.fromEntries(texts) }
}

/** Checks the types of a change that the page sent. `problemsOf` checks its texts. */
export function isSettingsChange(value: unknown): value is Partial<Settings> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(value).every(([name, one]) => {
    if (!Object.hasOwn(initial, name) || typeof one !== typeof initial[name as keyof Settings]) return false
    return typeof one !== 'string' || (one.length <= 2000 && (choices[name]?.includes(one) ?? true))
  })
}

/** A sentence per setting with an invalid text. @param before the settings that are changed */
export function problemsOf(changes: Partial<Settings>, before: Settings): SettingProblems<Settings> {
  const problems: { -readonly [Name in keyof Settings]?: string } = {}
  for (const [name, own] of Object.entries(ofServer) as [keyof typeof ofServer, keyof Config][]) {
    const problem = problemWith(own, changes[name] ?? '')
    if (problem) problems[name] = problem
  }
  // With port 0 the address would change at each start, but clients store it.
  if (/^0+$/.test(changes.port ?? '')) problems.port = 'This must be a port from 1 to 65535.'
  // The server does not start with only one of them.
  const { appViewDid, appViewUrl } = { ...before, ...changes }
  if (appViewDid && !appViewUrl) problems.appViewUrl = 'Fill in the address of the app view too.'
  if (appViewUrl && !appViewDid) problems.appViewDid = 'Fill in the DID of the app view too.'
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
    // IPv4 for the network, ::1 as well for this machine: `localhost` may resolve to it.
    hosts: settings.networkAccess ? '0.0.0.0,::1' : '',
    inviteRequired: settings.inviteRequired === 'auto' ? '' : settings.inviteRequired,
    dailyBackups: settings.automaticBackups ? '' : 'off',
    logLevel: settings.logLevel,
  }
  const config = configFrom(texts, env)
  return settings.networkAccess
    ? { ...config, hostnames: [...config.hostnames, ...namesOfMachine()] }
    : config
}

/** Names and addresses under which other devices may reach this machine. Addresses are safe: DNS cannot rebind them. */
function namesOfMachine(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? [])
  const name = hostname().toLowerCase()
  return [...addresses.map(({ address }) => address), name, `${name.replace(/\.local$/, '')}.local`]
}
