/** The options of a network, and their defaults. */
import type { NetworkOptions } from './contract.ts'
import { checkNetworkConfig } from './network-config.ts'

/** The time at which the clock of a network begins. */
export const defaultStart = '2026-01-01T00:00:00.000Z'

/** @throws TypeError or RangeError for an option without a meaning */
export function checkOptions({ servers = 1, now = defaultStart, config = {} }: NetworkOptions): void {
  checkNetworkConfig(config)
  if (!(Number.isInteger(servers) && servers >= 1))
    throw new RangeError('servers must be a whole number from 1.')
  if (Number.isNaN(new Date(now).getTime()))
    throw new TypeError(`now must be a time such as ${defaultStart}, not ${now}.`)
}
