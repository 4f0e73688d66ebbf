/** The settings that make the server public through a program, and how they are taken back. */
import type { Settings } from '../bridge.ts'
import type { Parts } from '../parts.ts'
import type { SettingsFile } from '../settings-file.ts'

type Changed = Pick<Settings, 'publicUrl' | 'trustedProxies' | 'plcUrl' | 'relays'>

/** What was changed. It is in the settings file before anything is changed, so that it can be taken back after a crash, too. */
export interface Publication {
  readonly before: Changed
  readonly after: Changed
  /** The handle that the owner had before the name of this server. */
  readonly handle?: string
}

const directory = 'https://plc.directory'
const relay = 'https://bsky.network'

/**
 * Returns the change to a public address. A directory and relays that were chosen before stay.
 * @param known an earlier change that is still in place
 */
export function publication(url: string, settings: Settings, known: Publication | null): Publication {
  const before = known?.before ?? pick(settings)
  return {
    before,
    after: {
      publicUrl: url,
      trustedProxies: 'loopback',
      plcUrl: before.plcUrl || directory,
      relays: before.relays || relay,
    },
    ...(known?.handle !== undefined && { handle: known.handle }),
  }
}

/** Takes the change back, except where the person has changed a setting since. */
export async function withdraw(
  { before, after }: Publication,
  { file, settings }: Pick<Parts, 'file' | 'settings'>,
): Promise<void> {
  const now = pick(file.get('settings'))
  const names = (Object.keys(after) as (keyof Changed)[]).filter((name) => now[name] === after[name])
  const changes = Object.fromEntries(names.map((name) => [name, before[name]]))
  if (names.length > 0) await settings.change(changes)
}

export function isPublicBy(record: Publication | undefined, file: SettingsFile): boolean {
  return record !== undefined && file.get('settings').publicUrl === record.after.publicUrl
}

/** The port of the server on this machine. */
export function localPort({ server, file }: Pick<Parts, 'server' | 'file'>): number {
  const { state } = server
  return state.kind === 'running' ? state.port : Number(file.get('settings').port || 2583)
}

function pick({ publicUrl, trustedProxies, plcUrl, relays }: Settings): Changed {
  return { publicUrl, trustedProxies, plcUrl, relays }
}
