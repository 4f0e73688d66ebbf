/** The entries of the settings file about the program through which the server is public. */
import type { Settings } from '../ground/bridge.ts'

export type Changed = Pick<Settings, 'publicUrl' | 'proxyPort' | 'plcUrl' | 'relays'>

/** The changes that made the server public. They are in the settings file before they are made, so that they can be undone after a crash. */
export interface Publication {
  readonly before: Changed
  readonly after: Changed
  /** The handle that the owner had before the name of this server. */
  readonly handle?: string
}

/** Ports of this machine's name at which Funnel can answer. */
export type FunnelPort = 443 | 8443 | 10000

/** A publication through Tailscale, as it is in the settings file. */
export interface TunnelRecord extends Publication {
  readonly port: FunnelPort
  /** Name of this machine. */
  readonly name: string
  readonly localPort: number
}

/** A publication through Cloudflare, as it is in the settings file. The token is among the secrets. */
export interface ConnectorRecord extends Publication {
  readonly host: string
}
