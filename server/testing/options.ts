/** The options of a network, and their defaults. */
import { isTimeOfNetwork } from './clock.ts'
import type { NetworkOptions, NetworkSnapshot } from './contract.ts'
import { checkMembers } from './errors.ts'
import { checkNetworkConfig } from './network-config.ts'

/** The time at which the clock of a network begins. */
export const defaultStart = '2026-01-01T00:00:00.000Z'

const names: readonly (keyof NetworkOptions)[] = [
  ...(['seed', 'servers', 'port', 'now', 'clock', 'world', 'from', 'config'] as const),
]

/** @throws TypeError or RangeError for an option without a meaning */
export function checkOptions(options: NetworkOptions): void {
  checkMembers('the options of a network', options, names)
  const {
    seed = 1,
    servers = 1,
    port = 0,
    now = defaultStart,
    clock = 'logical',
    world = '',
    from,
    config = {},
  } = options
  checkNetworkConfig(config)
  if (!isWhole(seed)) throw new RangeError('seed must be a whole number from 0.')
  if (!(isWhole(servers) && servers >= 1)) throw new RangeError('servers must be a whole number from 1.')
  if (!(isWhole(port) && port + servers <= 65_535))
    throw new RangeError('port must be a whole number from 0, and the ports after it end at 65535.')
  if (!isTimeOfNetwork(now))
    throw new TypeError(`now must be a time from 1970 to 9999 such as ${defaultStart}, not ${now}.`)
  if (clock !== 'logical' && clock !== 'real') throw new TypeError('clock must be "logical" or "real".')
  if (typeof world !== 'string' && !(typeof world === 'object' && world !== null))
    throw new TypeError('world must be a world, the path of its file, "sample" or "friends".')
  if (from !== undefined) checkSnapshot(from)
  if (from !== undefined && from.disks.length !== servers)
    throw new RangeError(`The snapshot has ${from.disks.length} servers: give as many by \`servers\`.`)
}

/** @throws TypeError if something else was given, such as the promise of a snapshot */
export function checkSnapshot(snapshot: NetworkSnapshot): void {
  if (!(Array.isArray(snapshot?.urls) && Array.isArray(snapshot.disks)))
    throw new TypeError('This is no snapshot: give what `await network.snapshot()` has returned.')
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
