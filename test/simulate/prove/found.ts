/** Short runs that have found the deliberate faults: `faults/found.json`, which `--prove --write` writes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../../server/testing/exec.ts'
import { isObject, isString } from '../../../server/util/json.ts'
import type { Step } from '../scenarios.ts'
import { stepsOf } from '../seeds.ts'

export interface FoundRun {
  /** Before it, no seed has found the fault, when this was written. */
  readonly seed: number
  /** Acts with their seeds, which stay the same when acts are added. */
  readonly steps: string
  readonly violation: string
}

const path = join(import.meta.dirname, '../faults/found.json')

/** Returns the runs by the names of the faults. @throws UsageError if the file is damaged */
export function readFound(file = path): Record<string, FoundRun> {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isObject(found)) throw new Error('it is no list of runs')
    for (const [name, run] of Object.entries(found))
      if (!isRun(run)) throw new Error(`the run of ${name} is incomplete`)
    return found as Record<string, FoundRun>
  } catch (error) {
    const reason = (error as Error).message
    throw new UsageError(
      `${file} cannot be read: ${reason}. Take it back with git checkout, then start again.`,
    )
  }
}

function isRun(run: unknown): run is FoundRun {
  return isObject(run) && Number.isInteger(run.seed) && isString(run.steps) && isString(run.violation)
}

/** Adds or replaces the run of a fault. */
export function writeFound(name: string, run: FoundRun): void {
  const sorted = Object.entries({ ...readFound(), [name]: run }).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}

/** Returns the steps of a run. @throws if an act does not exist any more */
export function planOfRun({ seed, steps }: Pick<FoundRun, 'seed' | 'steps'>): Step[] {
  return stepsOf({ seed, steps: steps.split(', ') })
}

export function stepsText(steps: readonly Step[]): string {
  return steps.map(({ act, seed }) => `${act} ${seed}`).join(', ')
}
