/** The settings of the server: those of the desktop, or in a browser those that the server keeps for its owner. */
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  LogLevel,
  SettingProblems,
  Settings,
  SettingsView,
  TextSetting,
} from '../../electron/ground/bridge.ts'
import { com } from '../../lexicons/generated/index.ts'
import { desktop } from '../bridge.ts'
import { useIsOwner } from './account.ts'
import { type Body, callAs } from './client.ts'
import { callDesktop, keyOf as desktopKeyOf } from './desktop.ts'
import { isAtServer } from './endpoint.ts'
import { keyOf } from './hooks.ts'
import type { Proof } from './passkeys.ts'
import { useMaybeSession } from './sessions.ts'

const { getSettings, updateSettings } = com.core.admin

type ServerSettings = Pick<Settings, TextSetting | 'inviteRequired' | 'logLevel' | 'automaticBackups'>

export interface ServerSettingsView extends Pick<SettingsView, 'dataFolder'> {
  readonly settings: ServerSettings
  /** The defaults, which apply where a text is empty. */
  readonly defaults: ServerSettings
  /** The flag or the variable of the command that sets a setting, so that it cannot be changed. */
  readonly fixedBy?: { readonly [Name in keyof Settings]?: string }
  /** Settings that apply at the next start of the server. */
  readonly waiting?: readonly (keyof Settings)[]
  /** Settings that a session changes only with the main password. The app window, which can read all data, needs none. */
  readonly protected?: readonly (keyof Settings)[]
}

/** The settings that the owner may change. In a browser on another computer the query is disabled. */
export function useServerSettings(): UseQueryResult<ServerSettingsView> {
  const { did = '' } = useMaybeSession() ?? {}
  const isOwner = useIsOwner()
  return useQuery({
    queryKey: keyFor(did),
    queryFn: async ({ signal }): Promise<ServerSettingsView> =>
      desktop ? callDesktop('settings.view') : fromServer(await callAs(did, getSettings, { signal })),
    enabled: desktop !== undefined || (isOwner && isAtServer),
    networkMode: desktop ? 'always' : 'online',
  })
}

/** Returns a function that saves settings, all or none, and reads them again. It returns a sentence per setting with a problem. */
export function useChangeSettings() {
  const { did = '' } = useMaybeSession() ?? {}
  const client = useQueryClient()
  return async (changes: Partial<Settings>, proof?: Proof): Promise<SettingProblems<Settings>> => {
    try {
      return await (desktop ? callDesktop('settings.change', changes) : changeOnServer(did, changes, proof))
    } finally {
      await client.invalidateQueries({ queryKey: keyFor(did) })
    }
  }
}

function keyFor(did: string): unknown[] {
  return desktop ? desktopKeyOf('settings.view') : keyOf(did, getSettings)
}

/** The name that the server has for a setting of the desktop. */
const nameOf = (name: string) => (name === 'automaticBackups' ? 'dailyBackups' : name)
const fromName = (name: string) => (name === 'dailyBackups' ? 'automaticBackups' : name) as keyof Settings

async function changeOnServer(
  did: string,
  changes: Partial<Settings>,
  proof: Proof | undefined,
): Promise<SettingProblems<Settings>> {
  const settings = Object.entries(changes).map(([name, value]) => ({
    name: nameOf(name),
    value: typeof value === 'boolean' ? (value ? 'on' : 'off') : value,
  }))
  const { problems } = await callAs(did, updateSettings, { body: { settings, ...proof } })
  return Object.fromEntries(problems.map(({ name, problem }) => [fromName(name), problem]))
}

function fromServer({ settings, dataFolder }: Body<typeof getSettings.main>): ServerSettingsView {
  const texts = (textOf: (setting: (typeof settings)[number]) => string) =>
    Object.fromEntries(settings.map((setting) => [fromName(setting.name), textOf(setting)]))
  const toSettings = (values: Readonly<Record<string, string>>) =>
    ({ ...values, automaticBackups: isOn(values.automaticBackups) }) as unknown as ServerSettings
  const given = ({ value, fallback }: (typeof settings)[number]) => value || fallback
  const chosen = texts(given)
  return {
    dataFolder,
    settings: toSettings({
      ...texts(({ value }) => value),
      // These are chosen from a list, which has their defaults.
      inviteRequired: chosen.inviteRequired ?? '',
      logLevel: (chosen.logLevel ?? '') as LogLevel,
      automaticBackups: chosen.automaticBackups ?? '',
    }),
    defaults: toSettings(texts(({ fallback }) => fallback)),
    fixedBy: Object.fromEntries(settings.map(({ name, fixedBy }) => [fromName(name), fixedBy])),
    waiting: settings.filter(({ waiting }) => waiting).map(({ name }) => fromName(name)),
    protected: settings.filter((setting) => setting.protected).map(({ name }) => fromName(name)),
  }
}

const isOn = (text: string | undefined) => /^(on|true|yes|1)$/i.test(text ?? '')
