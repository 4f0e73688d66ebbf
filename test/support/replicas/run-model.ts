/** Runs random steps of the model of a place. When a rule is broken, fast-check looks for a shorter list of steps that breaks it. */
import fc from 'fast-check'
import { ReplicaKey } from '../../../server/operation/replicas/replica-key.ts'
import { commands, type Scene } from './commands.ts'
import { watchForHang } from './hang.ts'
import { type Rule, Violation } from './rules.ts'
import { World } from './world.ts'

export interface ModelOptions {
  readonly seed: number
  readonly steps: number
  readonly enforced: readonly Rule[]
  /** Most milliseconds for all of it. */
  readonly limitMs: number
  /** Of an earlier report: begins with its run. */
  readonly path?: string | undefined
  /** Called before each step until a rule is broken. */
  readonly onStep?: (step: number) => void
}

export interface ModelResult {
  /** Steps that were run until a rule was broken. */
  readonly steps: number
  /** The rule that was broken, and the steps that led to it; empty if none was. */
  readonly report: string
}

/** The search for a shorter list of steps ends after so long. */
const shrinkMs = 60_000

/** Names of objects follow from the key, and the model chooses objects by their order. */
const identity = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX'

/** Call it between `beginSimulation` and `endSimulation`. */
export async function runModel(options: ModelOptions): Promise<ModelResult> {
  const { seed, steps: wanted, enforced, limitMs, path = '', onStep } = options
  const key = await ReplicaKey.parse(identity)
  let steps = 0
  let first: string | undefined
  let shrinkUntil = Number.POSITIVE_INFINITY
  const count = () => {
    if (first !== undefined) return true
    if (steps === wanted) return false
    steps++
    onStep?.(steps)
    return true
  }
  let rule: string | undefined
  const fail = (error: unknown) => {
    const broken = error instanceof Violation ? error.rule : String(error)
    rule ??= broken
    // A shorter list must break the same rule.
    if (broken !== rule) return
    first ??= `First broken at step ${steps}: ${error}`
    shrinkUntil = Math.min(shrinkUntil, performance.now() + shrinkMs)
    throw error
  }
  const property = fc.asyncProperty(fc.nat(), commands, async (worldSeed, chosen) => {
    if ((steps === wanted && first === undefined) || performance.now() > shrinkUntil) return
    const world = await World.create(key, worldSeed, enforced)
    const hang = watchForHang()
    const scene: Scene = { world, count: hang.watch(count) }
    const running = fc.asyncModelRun(() => ({ model: scene, real: scene }), chosen)
    await Promise.race([running, hang.promise]).finally(hang.end).catch(fail)
    for (const computer of world.running) await computer.kill()
  })
  const details = await fc.check(property, { seed, path, numRuns: wanted, interruptAfterTimeLimit: limitMs })
  const report = details.failed
    ? `${first}\n${await fc.asyncDefaultReportMessage(details)}\n${details.errorInstance}`
    : ''
  return { steps, report }
}
