/**
 * A model of a place: computers copy to a place that fails and lies, are killed, cloned and restored in a random order, and rules are
 * checked after each step. `MODEL_SEED=random` or a number changes the steps, `MODEL_STEPS` their number, `MODEL_RULES=claim,two` the rules;
 * `MODEL_SHRINK=0` does not search for a shorter failure.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import * as acts from '../../../support/replicas/acts.ts'
import { commands, type Scene } from '../../../support/replicas/commands.ts'
import { type Rule, rules } from '../../../support/replicas/rules.ts'
import { World } from '../../../support/replicas/world.ts'

const { MODEL_SEED = '36', MODEL_STEPS = '0', MODEL_RULES, MODEL_SHRINK } = process.env
const seed = MODEL_SEED === 'random' ? Date.now() & 0x7fffffff : Number(MODEL_SEED)
/** A restore that meets a damaged object refuses, although there is another way: `restore` is checked only when asked for. */
const usual = Object.keys(rules).filter((rule) => rule !== 'restore')
const enforced = (MODEL_RULES?.split(',') ?? usual) as Rule[]
/** Ends the search for a shorter failure, too. */
const limitMs = 60_000 + Number(MODEL_STEPS) * 400

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterAll(() => {
  vi.useRealTimers()
})

/** Only when asked for: some runs do not end. */
test.runIf(MODEL_STEPS !== '0')(
  'a place that fails and lies: no false "copied" or "proven", no refusal without another computer, no loss in silence',
  {
    timeout: 2 * limitMs,
  },
  async () => {
    const key = await ReplicaKey.generate()
    let steps = 0
    let runs = 0
    let hasFailed = false
    let firstFailure = ''
    const property = fc.asyncProperty(fc.nat(), commands, async (worldSeed, steps_) => {
      if (steps >= Number(MODEL_STEPS) && !hasFailed) return
      if (!hasFailed) runs++
      const world = await World.create(key, worldSeed, enforced)
      const count = () => hasFailed || ++steps <= Number(MODEL_STEPS)
      const scene: Scene = { world, count }
      try {
        await fc.asyncModelRun(() => ({ model: scene, real: scene }), steps_)
      } catch (error) {
        if (!hasFailed) firstFailure = `First failed at step ${steps}, in run ${runs}`
        hasFailed = true
        throw error
      } finally {
        for (const computer of world.running) await computer.kill()
      }
    })
    const details = await fc.check(property, {
      seed,
      endOnFailure: MODEL_SHRINK === '0',
      numRuns: Number(MODEL_STEPS),
      interruptAfterTimeLimit: limitMs,
    })
    const report = details.failed
      ? `${firstFailure}: ${details.errorInstance}\n${await fc.asyncDefaultReportMessage(details)}`
      : ''
    expect(report).toBe('')
    expect(steps).toBeGreaterThanOrEqual(Number(MODEL_STEPS))
  },
)

test('a computer whose running disk was cloned and its clone do not both go on', async () => {
  const world = await World.create(await ReplicaKey.generate(), 7, enforced)
  const [computer] = world.computers
  if (!computer) throw new Error('There is no computer.')
  await world.step('copy', () => acts.copy(world, computer, { isWoken: true }))
  await world.step('clone', () => acts.clone(world, computer))
  await world.step('calm', () => acts.calm(world))
  expect(world.computers.map((each) => world.tracked(each).isRefused)).toEqual([false, true])
  for (const each of world.running) await each.kill()
})

test('a clean-up of an empty place, which had the copy, puts nothing there', async () => {
  const world = await World.create(await ReplicaKey.generate(), 7, enforced)
  const [computer] = world.computers
  if (!computer) throw new Error('There is no computer.')
  await world.step('copy', () => acts.copy(world, computer, { isWoken: true }))
  await world.step('unmount', async () => world.unmount())
  await world.step('compact', () => acts.compact(world, computer))
  expect(world.place.names()).toEqual([])
  await world.step('copy', () => acts.copy(world, computer, { isWoken: true }))
  expect(computer.status?.problem?.kind).toBe('empty')
  await computer.kill()
})
