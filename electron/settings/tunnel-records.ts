/** The entries of the settings file about the program through which the server is public. */
import type { Settings } from '../ground/bridge.ts'

export type Changed = Pick<Settings, 'publicUrl' | 'proxyPort' | 'plcUrl' | 'relays'>

/** What was changed. It is in the settings file before anything is changed, so that it can be taken back after a crash, too. */
export interface Publication {
  readonly before: Changed
  readonly after: Changed
  /** The handle that the owner had before the name of this server. */
  readonly handle?: string
}

/** Ports of this machine's name at which Funnel can answer. */
export const funnelPorts = [443, 8443, 10000] as const

export type FunnelPort = (typeof funnelPorts)[number]

/** What was changed. In the settings file. */
export interface TunnelRecord extends Publication {
  readonly port: FunnelPort
  /** Name of this machine. */
  readonly name: string
  readonly localPort: number
}

/** In the settings file. The token is among the secrets. */
export interface ConnectorRecord extends Publication {
  readonly host: string
}
