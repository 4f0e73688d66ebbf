/** The settings that make the server public through a program, and how they are taken back. */

import type { Settings } from '../ground/bridge.ts'
import { freePort } from '../server/free-port.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { SettingsControl } from '../server/settings-control.ts'
import { defaultSettings } from '../settings/settings.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import type { Changed, Publication } from '../settings/tunnel-records.ts'

export interface PublicationDeps {
  readonly file: SettingsFile
  readonly settings: SettingsControl
  readonly server: EmbeddedServer
}

const directory = 'https://plc.directory'

const relay = 'https://bsky.network'

/**
 * Returns the change to a public address. A directory and relays that were chosen before stay.
 * @param port of the listener for the tunnel
 * @param known an earlier change that is still in place
 */
export function publication(
  url: string,
  port: number,
  settings: Settings,
  known: Publication | null,
): Publication {
  const before = known?.before ?? pick(settings)
  return {
    before,
    after: {
      publicUrl: url,
      proxyPort: String(port),
      plcUrl: before.plcUrl || directory,
      relays: before.relays || relay,
    },
    ...(known?.handle !== undefined && { handle: known.handle }),
  }
}

/** Takes the change back, except where the person has changed a setting since. */
export async function withdraw(
  { before, after }: Publication,
  { file, settings }: PublicationDeps,
): Promise<void> {
  const now = pick(file.get('settings'))
  const names = (Object.keys(after) as (keyof Changed)[]).filter((name) => now[name] === after[name])
  const changes = Object.fromEntries(names.map((name) => [name, before[name]]))
  if (names.length > 0) await settings.change(changes)
}

export function isPublicBy(record: Publication | undefined, file: SettingsFile): boolean {
  return record !== undefined && file.get('settings').publicUrl === record.after.publicUrl
}

/**
 * Returns the port of the listener for tunnels, chosen at the first call and then kept: it is entered at Cloudflare, and Tailscale
 * stores it. A port that the person has set is used instead.
 */
export async function tunnelPort(deps: PublicationDeps): Promise<number> {
  const { file } = deps
  const set = file.get('settings').proxyPort || defaultSettings().proxyPort
  if (set) return Number(set)
  const kept = () => file.get('tunnelPort') ?? undefined
  if (kept() === undefined) {
    const next = localPort(deps) + 1
    const free = (await freePort(next)) ?? (await freePort(0))
    // Another call may have chosen meanwhile.
    if (kept() === undefined) file.set('tunnelPort', free ?? next)
  }
  return kept() ?? localPort(deps) + 1
}

/** The port to which a tunnel must lead. */
export function portOf({ after }: Publication, { file }: PublicationDeps): number {
  return Number(file.get('settings').proxyPort || after.proxyPort)
}

/** The port of the server on this machine. */
export function localPort({ server, file }: PublicationDeps): number {
  const { state } = server
  return state.kind === 'running' ? state.port : Number(file.get('settings').port || 2583)
}

function pick({ publicUrl, proxyPort, plcUrl, relays }: Settings): Changed {
  return { publicUrl, proxyPort, plcUrl, relays }
}
