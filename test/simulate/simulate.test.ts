/** Three servers with people and faults, in simulated time. `npm run simulate` runs longer, and explains what fails. */
import { availableParallelism } from 'node:os'
import { afterAll, expect, test } from 'vitest'
import { createPool } from './pool.ts'
import { planOf, type Step } from './scenarios.ts'
import { seeds, stepsOf } from './seeds.ts'

const [count, steps] = [40, 15]
const pool = createPool(Math.min(availableParallelism(), 2))
afterAll(() => pool.close())

/** Returns what does not hold in a run; an empty list if everything does. */
async function violationsOf(seed: number, plan: readonly Step[]): Promise<string[]> {
  const { violation } = await pool.run({ seed, plan })
  return violation === undefined
    ? []
    : [`${violation}\nnpm run simulate -- --seed ${seed} --steps ${plan.length}`]
}

/** On a busy machine. */
const limitMs = 20 * 60_000

test(`everything holds in ${count} runs of ${steps} steps`, { timeout: limitMs }, async () => {
  const runs = Array.from({ length: count }, (_, seed) => violationsOf(seed, planOf(seed, steps)))
  expect((await Promise.all(runs)).flat()).toEqual([])
})

test('everything holds in the runs that have found a fault', async () => {
  const fixed = seeds.filter(({ isOpen }) => !isOpen)
  expect((await Promise.all(fixed.map((seed) => violationsOf(seed.seed, stepsOf(seed))))).flat()).toEqual([])
})

test('a fault that is still there is found again', async () => {
  for (const seed of seeds.filter(({ isOpen }) => isOpen))
    expect(await violationsOf(seed.seed, stepsOf(seed)), seed.found).not.toEqual([])
})

test('two processes that have run other seeds before take the same steps of a seed', async () => {
  const job = { seed: 3, plan: planOf(3, 60) }
  const one = await pool.run(job)
  const other = await pool.run(job, pool.size > 1 ? one.by : undefined)
  expect(one.trace.length).toBeGreaterThan(10)
  expect(other.trace).toEqual(one.trace)
})
