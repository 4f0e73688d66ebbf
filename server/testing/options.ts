/** The options of a network, and their defaults. */
import type { Config } from '../platform/config/config.ts'
import type { NetworkOptions } from './contract.ts'

/** The time at which the clock of a network begins. */
export const defaultStart = '2026-01-01T00:00:00.000Z'

/** Settings that a network decides, and what to do instead. */
const decided = {
  dataDir: 'the data are in memory',
  port: 'use the option port',
  hosts: 'servers listen on this computer alone',
  proxyPort: 'each server has one port, for faults and requests',
  plcUrl: 'the network has its own directory',
  logLevel: 'servers of a network log nothing',
} as const satisfies Partial<Record<keyof Config, string>>

/** The settings of servers that a network takes. */
export type NetworkConfig = Partial<Omit<Config, keyof typeof decided>>

/** @throws TypeError or RangeError for an option without a meaning */
export function checkOptions({ servers = 1, now = defaultStart, config = {} }: NetworkOptions): void {
  for (const [name, reason] of Object.entries(decided))
    if (Object.hasOwn(config, name)) throw new TypeError(`config.${name} has no effect: ${reason}.`)
  if (!(Number.isInteger(servers) && servers >= 1))
    throw new RangeError('servers must be a whole number from 1.')
  if (Number.isNaN(new Date(now).getTime()))
    throw new TypeError(`now must be a time such as ${defaultStart}, not ${now}.`)
}
