/** Failures of servers that no answer reports end a run with a violation, and the next run goes on. */
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createPool } from './pool.ts'
import type { Step } from './scenarios.ts'
import { kindOf, shrink } from './shrink.ts'

const pool = createPool(1, { worker: join(import.meta.dirname, 'planted/worker.ts'), actMs: 10_000 })
afterAll(() => pool.close())

const timeout = 20 * 60_000
const planOf = (...acts: string[]): Step[] => acts.map((act, i) => ({ number: i + 1, act, seed: i }))

test.each([
  ['reject', /^one: uncaught Error: planted\n.*worker\.ts/],
  ['throw', /^one: uncaught Error: planted\n.*worker\.ts/],
  ['hang', /^one: planted does not end$/],
  // The turns are counted, or, on a busy machine, the time of the act ends first.
  ['turn', /^(the servers do not come to rest|turn does not end)$/],
  ['block', /^block does not end$/],
  ['end', /^end has ended the process: 3$/],
])('a server that fails by %s is a violation, and the next run goes on', { timeout }, async (act, words) => {
  const { violation, steps } = await pool.run({ seed: 1, plan: planOf('createAccount', act, 'wait') })
  expect(violation).toMatch(words)
  expect(steps).toBe(2)
  const next = await pool.run({ seed: 1, plan: planOf('createAccount') })
  expect(next.violation).toBeUndefined()
})

test('an uncaught error is shrunk as other violations are', { timeout }, async () => {
  const plan = planOf('createAccount', 'wait', 'createRecord', 'reject', 'createAccount')
  const kind = kindOf((await pool.run({ seed: 1, plan })).violation ?? '')
  const fails = async (steps: readonly Step[]) => {
    const { violation } = await pool.run({ seed: 1, plan: steps })
    return violation !== undefined && kindOf(violation) === kind
  }
  expect(await shrink(plan, { fails })).toEqual([plan[3]])
})
