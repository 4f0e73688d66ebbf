/** Runs that have found a fault. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { acts } from './acts/index.ts'
import { planOf, type Step } from './scenarios.ts'

interface Seed {
  readonly seed: number
  /** How many steps of the plan, or which: acts with their seeds, which stay the same when acts are added. */
  readonly steps: number | readonly string[]
  /** What did not hold, and why. */
  readonly found: string
  /** Whether the fault is still there. */
  readonly isOpen?: boolean
}

export const seeds: readonly Seed[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'seeds.json'), 'utf8'),
)

/** @throws if an act does not exist any more */
export function stepsOf({ seed, steps }: Pick<Seed, 'seed' | 'steps'>): Step[] {
  if (typeof steps === 'number') return planOf(seed, steps)
  return steps.map((text, i) => {
    const [act = '', seed] = text.split(' ')
    if (!(act in acts)) throw new Error(`There is no act ${act}`)
    return { number: i + 1, act, seed: Number(seed) }
  })
}
