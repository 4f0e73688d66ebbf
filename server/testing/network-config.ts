/** The settings of the servers of a network for tests. */
import type { Config } from '../platform/config/config.ts'

/** Settings that a network decides, and what to do instead. */
const decided = {
  dataDir: 'the data are in memory',
  port: 'use the option port',
  hosts: 'servers listen on this computer alone',
  proxyPort: 'each server has one port, for faults and requests',
  plcUrl: 'the network has its own directory',
  logLevel: 'servers of a network log nothing',
} as const satisfies Partial<Record<keyof Config, string>>

/** The settings that a test may choose. */
export type NetworkConfig = Partial<Omit<Config, keyof typeof decided>>

/** @throws TypeError for a setting that has no effect */
export function checkNetworkConfig(config: NetworkConfig): void {
  for (const [name, reason] of Object.entries(decided))
    if (Object.hasOwn(config, name)) throw new TypeError(`config.${name} has no effect: ${reason}.`)
}
