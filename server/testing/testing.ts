/** The export `desktop-pds/testing`. */
import '../util/check-node.cts'
import type { Network, NetworkOptions } from './network.ts'

export { version } from '../platform/config/version.ts'
export type { AccountChanges } from './account-changes.ts'
export type { NetworkAccount, NetworkAccounts, NewNetworkAccount } from './accounts.ts'
export type { Duration, NetworkClock } from './clock.ts'
export type { Fault, FaultOptions } from './door/faults.ts'
export type { NetworkRequest, RequestFilter } from './door/requests.ts'
export { NetworkCallFailed, NetworkRestored } from './errors.ts'
export type { NetworkMail, NetworkMessage } from './mail.ts'
export type { Network, NetworkOptions, NetworkServer, NetworkSnapshot } from './network.ts'
export type { ApprovalPage, NetworkOAuth } from './oauth.ts'
export type { NetworkEvent } from './stream/network-event.ts'
export { WorldError } from './worlds/errors.ts'
export type { LoadedAccount, LoadedWorld, World } from './worlds/worlds.ts'

/**
 * Starts a network. One can run in a process at a time, because its time and its random values are those of the process.
 * @throws the system's error if a port is in use; TypeError or RangeError for an option without a meaning; an error if another runs
 */
export async function startNetwork(options?: NetworkOptions): Promise<Network> {
  // An old Node.js, which the check above ends, cannot load the server.
  const network = await import('./network.ts')
  return network.startNetwork(options)
}
