/** A server of a network, as tests see it. */
import type { NetworkServer } from './contract.ts'
import type { Door } from './door/door.ts'
import type { Host } from './host.ts'

/**
 * @param restart in the order of resets and restores
 * @param guard makes a function throw after the stop of the network
 */
export function serverOf(
  host: Host,
  door: Door,
  restart: () => Promise<void>,
  guard: (work: () => void) => () => void,
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
    pause: guard(() => host.pause()),
    resume: guard(() => door.resume()),
    kill: guard(() => host.kill()),
    restart,
  }
}
