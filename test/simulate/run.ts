/** Runs the simulation of one seed. */
import { createRandom } from '../support/replicas/random.ts'
import { Violation } from './acts/act.ts'
import { check } from './acts/check.ts'
import { acts } from './acts/index.ts'
import { planOf, type Step } from './scenarios.ts'
import { createWorld } from './world/installed.ts'

export interface Result {
  readonly trace: readonly string[]
  /** What does not hold; undefined if everything does. */
  readonly violation: string | undefined
  /** Steps that were begun. */
  readonly steps: number
  /** Numbers of the steps that did something. */
  readonly effective: readonly number[]
}

/** Runs the work of an act, to measure it. */
export type Measure = <T>(act: string, work: () => Promise<T>) => Promise<T>

/** Loads what servers load when they first need it: later, it would take real time while logical time stands still. */
export async function warmUp(): Promise<void> {
  await run(0, planOf(0, 60))
}

export async function run(
  seed: number,
  plan: readonly Step[],
  measure: Measure = (_, work) => work(),
): Promise<Result> {
  const world = await createWorld(seed)
  const effective: number[] = []
  let steps = 0
  let violation: string | undefined
  try {
    await measure('start of the world', () => world.start())
    for (const { number, act, seed } of plan) {
      steps++
      world.connectConsumers()
      const words = await measure(act, async () => acts[act]?.run(world, createRandom(seed)))
      if (words === undefined) continue
      world.note(`${number} ${world.time.clock.now().toISOString()} ${words}`)
      effective.push(number)
    }
    const words = await measure('check', () => check.run(world, createRandom(seed)))
    world.note(`end ${words}`)
  } catch (error) {
    violation = error instanceof Violation ? error.message : String((error as Error).stack ?? error)
  }
  await measure('end of the world', () => world.close())
  return { trace: world.trace, violation, steps, effective }
}
