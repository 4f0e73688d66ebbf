/** Runs the simulation of one seed. */
import { createRandom } from '../support/replicas/random.ts'
import { Violation } from './acts/act.ts'
import { check } from './acts/check.ts'
import { acts } from './acts/index.ts'
import { planOf, type Step } from './scenarios.ts'
import { createWorld } from './world/installed.ts'
import { watchUncaught } from './world/uncaught.ts'

export interface Result {
  readonly trace: readonly string[]
  /** What does not hold; undefined if everything does. */
  readonly violation: string | undefined
  /** Steps that were begun. */
  readonly steps: number
  /** Numbers of the steps that did something. */
  readonly effective: readonly number[]
  /** Whether servers still work although their processes have ended: this process must run no other world. */
  readonly isLast: boolean
}

/** Runs the work of an act, to measure it. */
export type Measure = <T>(act: string, work: () => Promise<T>) => Promise<T>

/** Called when an act begins. */
export type OnAct = (name: string) => void

/** Loads what servers load when they first need it: later, it would take real time while logical time stands still. */
export async function warmUp(): Promise<void> {
  await run(0, planOf(0, 60))
}

export async function run(
  seed: number,
  plan: readonly Step[],
  measure: Measure = (_, work) => work(),
  onAct: OnAct = () => {},
): Promise<Result> {
  const world = await createWorld(seed)
  const uncaught = watchUncaught()
  const effective: number[] = []
  let steps = 0
  let violation: string | undefined
  try {
    await measure('start of the world', () => world.start())
    for (const { number, act, seed } of plan) {
      steps++
      onAct(act)
      world.connectConsumers()
      const words = await measure(act, async () => acts[act]?.run(world, createRandom(seed)))
      if (uncaught.violation) break
      if (words === undefined) continue
      world.note(`${number} ${world.time.clock.now().toISOString()} ${words}`)
      effective.push(number)
    }
    if (!uncaught.violation && plan.at(-1)?.act !== 'check') {
      onAct('check')
      const words = await measure('check', () => check.run(world, createRandom(seed)))
      world.note(`end ${words}`)
    }
  } catch (error) {
    violation = wordsOf(error)
  }
  let isLast = false
  await measure('end of the world', () =>
    world.close().catch((error: unknown) => {
      violation ??= wordsOf(error)
      isLast = true
    }),
  )
  uncaught.end()
  // Whatever else failed has followed from it.
  violation = uncaught.violation?.message ?? violation
  return { trace: world.trace, violation, isLast, steps, effective }
}

function wordsOf(error: unknown): string {
  return error instanceof Violation ? error.message : String((error as Error).stack ?? error)
}
