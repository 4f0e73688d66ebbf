/** Explains a failure: the shortest list of steps that fails in the same way, in words, and the command that runs it. */
import { commitOf } from './describe.ts'
import type { Done, Pool } from './pool.ts'
import { listOf, type Step } from './scenarios.ts'
import { kindOf, shrink } from './shrink.ts'

/** A run that has failed. */
interface Failing {
  readonly seed: number
  readonly plan: readonly Step[]
  readonly done: Done
  /** Of the violation. */
  readonly kind: string
  readonly pool: Pick<Pool, 'size' | 'run'>
}

export interface Failure extends Failing {
  /** Options that run the whole plan. */
  readonly command: string
}

/** The search for the shortest list of steps ends after so long. */
const searchMs = 60_000

export async function explain(failure: Failure): Promise<string> {
  const { seed, command, done } = failure
  const lines = [`\nseed ${seed}, commit ${commitOf()}`, `violation: ${done.violation}`]
  const until = performance.now() + searchMs
  const steps = await shortest(failure, () => performance.now() > until)
  if (!steps) return [...lines, `It did not fail again: npm run simulate -- ${command} --trace`].join('\n')
  const { trace, violation } = await failure.pool.run({ seed, plan: steps })
  return [
    ...lines,
    `${performance.now() > until ? 'a shorter' : 'the shortest'} list of steps, ${steps.length}:`,
    ...trace.map((line) => `  ${line}`),
    `  ${violation}`,
    `npm run simulate -- ${command} --only ${listOf(steps) || '0'} --trace`,
    // Stays the same when acts are added, which changes plans.
    `for seeds.json: ${JSON.stringify({ seed, steps: steps.map(({ act, seed }) => `${act} ${seed}`), found: '' })}`,
  ].join('\n')
}

/** Returns the shortest list of steps that fails in the same way; undefined if none does. */
export async function shortest(
  { seed, plan, done, kind, pool }: Failing,
  isOver: () => boolean,
): Promise<readonly Step[] | undefined> {
  const fails = async (steps: readonly Step[]) => {
    const { violation } = await pool.run({ seed, plan: steps })
    return violation !== undefined && kindOf(violation) === kind
  }
  const until = plan.slice(0, done.steps)
  const effective = new Set([...done.effective, until.at(-1)?.number])
  for (const steps of [until.filter(({ number }) => effective.has(number)), until]) {
    if (await fails(steps)) return shrink(steps, { fails, together: pool.size, isOver })
  }
  return undefined
}
