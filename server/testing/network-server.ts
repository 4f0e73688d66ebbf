/** A server of a network, as tests see it. */
import type { NetworkServer } from './contract.ts'
import type { Door } from './door/door.ts'
import type { Host } from './host.ts'

/**
 * @param restart in the order of resets and restores
 * @param whenOpen makes a function throw after the stop of the network
 */
export function serverOf(
  host: Host,
  door: Door,
  restart: () => Promise<void>,
  whenOpen: (work: () => void) => () => void,
): NetworkServer {
  return {
    url: door.url,
    domain: host.domain,
    adminPassword: host.adminPassword,
    get isRunning() {
      return host.isRunning
    },
    get isPaused() {
      return door.isPaused
    },
    pause: whenOpen(() => door.pause()),
    resume: whenOpen(() => door.resume()),
    kill: whenOpen(() => host.kill()),
    restart,
  }
}
