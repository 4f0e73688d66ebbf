/** The settings file of the desktop, in electron-store. */
import { renameSync } from 'node:fs'
import Store from 'electron-store'
import { type MailServer, noMailServer } from '../../server/platform/config/mail-server.ts'
import type { Settings } from '../ground/bridge.ts'
import { choices, initialSettings } from './settings.ts'
import type { ConnectorRecord, TunnelRecord } from './tunnel-records.ts'
import type { WindowPlace } from './window-place.ts'

/** Content of the settings file. */
interface Content {
  settings: Settings
  mail: MailServer
  /** URLs of places of continuous copies. */
  copies: readonly string[]
  /** The record of Tailscale, if the server is public through it. */
  tunnel: TunnelRecord | null
  /** The same through Cloudflare. */
  connector: ConnectorRecord | null
  /** The port of the listener for tunnels, once it was chosen. */
  tunnelPort: number | null
  window: WindowPlace | null
  /** Whether the notice that a closed window leaves the server running was shown. */
  closeNoticeShown: boolean
}

export interface SettingsFile {
  get<Name extends keyof Content>(name: Name): Content[Name]
  set<Name extends keyof Content>(name: Name, value: Content[Name]): void
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
  settings: shapeOf(initialSettings),
  mail: { ...shapeOf(noMailServer), required: Object.keys(noMailServer) },
  copies: { type: 'array' as const, items: { type: 'string' as const } },
  tunnel: { type: ['object', 'null'] as ('object' | 'null')[] },
  tunnelPort: { type: ['integer', 'null'] as ('integer' | 'null')[] },
  connector: { type: ['object', 'null'] as ('object' | 'null')[] },
  window: {
    type: ['object', 'null'] as ('object' | 'null')[],
    properties: Object.fromEntries(
      ['x', 'y', 'width', 'height'].map((name) => [name, { type: 'integer' as const }]),
    ),
  },
  closeNoticeShown: { type: 'boolean' as const },
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
      defaults: {
        ...{ settings: initialSettings, mail: noMailServer, copies: [] },
        ...{ tunnel: null, tunnelPort: null, connector: null, window: null, closeNoticeShown: false },
      },
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
    // The file lacks settings that are newer than it.
    get(name) {
      const kept = store.store
      return { ...kept, settings: { ...initialSettings, ...kept.settings } }[name]
    },
    set(name, value) {
      store.set({ [name]: value } as Partial<Content>)
    },
  }
}
