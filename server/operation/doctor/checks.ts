/**
 * The checks of the public address, in their order. `network-view.ts` has what relays and the app view have of this server,
 * `outgoing.ts` the list of outgoing connections.
 */

import type { ResolveHandle } from '../../identity/did/handle-resolver.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Relays } from '../../repository/events/relays.ts'
import type { Reader } from '../../store/database.ts'
import { checkDns, checkTls, checkUrl } from './address.ts'
import { type Check, failed, unknown } from './check.ts'
import { checkDirectory } from './directory.ts'
import { checkHandles } from './handles.ts'
import type { Probes } from './probes.ts'
import { checkClientAddress, checkServer, checkUploads, checkWebSocket } from './proxy.ts'
import { checkRelays } from './relays.ts'
import { checkSignUp } from './sign-up.ts'

export interface CheckDeps extends Pick<Platform, 'now' | 'signal'> {
  readonly config: Pick<
    Config,
    'publicUrl' | 'relays' | 'appViewUrl' | 'plcUrl' | 'userDomains' | 'inviteRequired' | 'hosts'
  >
  readonly store: Reader
  /** Undefined if this server looks up no handles. */
  readonly resolveHandle: ResolveHandle | undefined
  readonly relays: Pick<Relays, 'state'>
  readonly origin: string
  readonly serverDid: string
  /** The port that this server listens on. */
  readonly port: number
  /** The one for proxies and tunnels on this machine, if there is one. */
  readonly proxyPort: number | undefined
}

/** Checks that need the result of a failed one are not run. */
export async function runChecks(deps: CheckDeps, probes: Probes): Promise<Check[]> {
  const { config, now } = deps
  const { publicUrl, plcUrl } = config
  if (publicUrl === undefined) {
    return [
      failed('publicUrl', 'No public address is set. Other servers cannot reach this one.', 'setPublicUrl'),
    ]
  }
  const proxy = { ...deps, publicUrl, probes }
  const url = new URL(publicUrl)
  const path = await inOrder([
    ['publicUrl', () => checkUrl(publicUrl)],
    ['dns', () => checkDns(url)],
    ['tls', () => checkTls(url, now())],
    ['server', () => checkServer(proxy)],
  ])
  const isReached = !path.some(isBlocking)
  const through = isReached
    ? await Promise.all([
        checkClientAddress(proxy),
        checkUploads(proxy),
        checkWebSocket(proxy),
        checkHandles({ ...deps, publicUrl, userDomains: config.userDomains }),
      ])
    : (['clientAddress', 'uploads', 'webSocket', 'handles'] as const).map(notChecked)
  return [
    ...path,
    ...through,
    await checkDirectory({ ...deps, plcUrl }),
    checkRelays(deps.relays),
    checkSignUp(config),
  ]
}

type Step = readonly [name: Check['name'], check: () => Check | Promise<Check>]

/** Runs checks that each need the one before it. */
async function inOrder(steps: readonly Step[]): Promise<Check[]> {
  const done: Check[] = []
  for (const [name, check] of steps) {
    done.push(done.some(isBlocking) ? notChecked(name) : await check())
  }
  return done
}

/** Whether the checks after this one make no sense. */
function isBlocking({ state }: Check): boolean {
  return state === 'failed' || state === 'unknown'
}

function notChecked(name: Check['name']): Check {
  return unknown(name, 'Not checked, because of a problem above.')
}
