/** Runs the simulation of one seed. */
import { createRandom } from '../support/replicas/random.ts'
import { Violation } from './acts/act.ts'
import { acts } from './acts/index.ts'
import { checkAll } from './oracles/index.ts'
import { World } from './world/world.ts'

/** A step: an act, and the seed of what it chooses. It is the same whatever steps are before it. */
export interface Step {
  readonly act: string
  readonly seed: number
}

export interface Result {
  readonly trace: readonly string[]
  /** What does not hold; undefined if everything does. */
  readonly violation: string | undefined
  /** Steps that were taken. */
  readonly steps: number
}

/** Chooses the steps of a seed. */
export function planOf(seed: number, steps: number): Step[] {
  const random = createRandom(seed)
  const choices = Object.entries(acts).flatMap(([name, { weight }]) => Array<string>(weight).fill(name))
  return Array.from({ length: steps }, () => ({ act: random.pick(choices), seed: random.below(2 ** 31) }))
}

/** Steps between two checks. */
const checkEvery = 50

/** Loads what servers load when they first need it: later, it would take real time while logical time stands still. */
export async function warmUp(): Promise<void> {
  await run(0, planOf(0, 60))
}

export async function run(seed: number, plan: readonly Step[]): Promise<Result> {
  const world = new World(seed)
  let taken = 0
  let violation: string | undefined
  try {
    await world.start()
    for (const { act, seed } of plan) {
      taken++
      world.connectConsumers()
      const words = await acts[act]?.run(world, createRandom(seed))
      if (words !== undefined) world.note(`${taken} ${world.time.clock.now().toISOString()} ${words}`)
      if (taken % checkEvery === 0) await checkAll(world)
    }
    await checkAll(world)
  } catch (error) {
    violation = error instanceof Violation ? error.message : String((error as Error).stack ?? error)
  }
  await world.close()
  return { trace: world.trace, violation, steps: taken }
}
