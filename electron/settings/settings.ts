/** The settings of the desktop: initial values, checks, and conversion to the server's configuration. */
import { hostname, networkInterfaces } from 'node:os'
import {
  type Config,
  type ConfigTexts,
  configFrom,
  defaultText,
  problemWith,
} from '../../server/platform/config/config.ts'
import { portProblem, problemsOfAll } from '../../server/platform/config/kept-settings.ts'
import { inviteRules } from '../../server/platform/config/values.ts'
import { LOG_LEVELS } from '../../server/util/log.ts'
import { type SettingProblems, type Settings, type TextSetting, textSettings } from '../ground/bridge.ts'

export const initialSettings: Settings = {
  ...textsOf(() => ''),
  networkAccess: false,
  inviteRequired: 'auto',
  logLevel: 'info',
  automaticBackups: true,
  startAtLogin: false,
  closeToTray: true,
  nativeNotifications: true,
  theme: 'system',
  checkForUpdates: true,
  keepAwake: 'mains',
}

/** The values of the settings that have a fixed set of them. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  logLevel: LOG_LEVELS,
  theme: ['system', 'light', 'dark'] satisfies Settings['theme'][],
  inviteRequired: inviteRules,
  keepAwake: ['mains', 'always', 'off'] satisfies Settings['keepAwake'][],
}

/** A change of one of these restarts the server. */
export const restarting: readonly (keyof Settings)[] = [
  ...textSettings,
  'networkAccess',
  'inviteRequired',
  'automaticBackups',
]

/** The settings with the defaults that apply where a text is empty. */
export function defaultSettings(env = process.env): Settings {
  return { ...initialSettings, ...textsOf((name) => defaultText(name, env)) }
}

function textsOf(textOf: (name: TextSetting) => string): Readonly<Record<TextSetting, string>> {
  return Object.fromEntries(textSettings.map((name) => [name, textOf(name)])) as Record<TextSetting, string>
}

/** Checks the types of a change that the page sent. `problemsOf` checks its texts. */
export function isSettingsChange(value: unknown): value is Partial<Settings> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(value).every(([name, one]) => {
    if (!Object.hasOwn(initialSettings, name)) return false
    if (typeof one !== typeof initialSettings[name as keyof Settings]) return false
    return typeof one !== 'string' || (one.length <= 2000 && (choices[name]?.includes(one) ?? true))
  })
}

/** A sentence per setting with an invalid text. @param before the settings that are changed */
export function problemsOf(changes: Partial<Settings>, before: Settings): SettingProblems<Settings> {
  const after = { ...before, ...changes }
  const problems: { -readonly [Name in keyof Settings]?: string } = { ...problemsOfAll(after) }
  for (const name of textSettings) {
    const text = changes[name] ?? ''
    const isPort = name === 'port' || name === 'proxyPort'
    const problem = isPort ? portProblem(text) : problemWith(name, text)
    if (problem) problems[name] = problem
  }
  const { port, proxyPort } = after
  const ordinary = port || defaultText('port', process.env)
  if (proxyPort && Number(proxyPort) === Number(ordinary)) {
    problems.proxyPort = 'Choose another port than that of the server.'
  }
  return problems
}

/** The server's configuration: the settings first, then the environment, then the defaults. */
export function serverConfig(
  dataDir: string,
  settings: Settings,
  more: { readonly smtpUrl: string; readonly mailFrom: string; readonly copies: string },
  env = process.env,
): Config {
  const texts: ConfigTexts = {
    ...textsOf((name) => settings[name]),
    ...more,
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
