/** Short runs that have found the deliberate faults: `faults/found.json`, which `--prove --write` writes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** Returns the runs by the names of the faults. */
export function readFound(): Record<string, FoundRun> {
  return JSON.parse(readFileSync(path, 'utf8'))
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
