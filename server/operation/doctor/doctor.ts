/** Checks whether other servers can reach this one at its public address. */
import { createSharedRun } from '../../util/rounds.ts'
import type { Check } from './check.ts'
import type { CheckDeps } from './checks.ts'
import type { Seen } from './network-view.ts'
import { createProbes, type Probes } from './probes.ts'

export interface Doctor {
  readonly probes: Probes
  /** Runs all checks. Concurrent calls share one run. */
  check(): Promise<Check[]>
  /** Asks relays and the app view how much of this server they have. Concurrent calls share one run. */
  checkRelays(): Promise<Seen>
}

export function createDoctor(deps: CheckDeps): Doctor {
  const probes = createProbes()
  const check = createSharedRun(async () => {
    const { runChecks } = await import('./checks.ts')
    return runChecks(deps, probes)
  })
  const checkRelays = createSharedRun(async () => {
    const { lookAtSeen } = await import('./network-view.ts')
    return lookAtSeen(deps)
  })
  return { probes, check, checkRelays }
}
