/** The search for the shortest list of steps that fails, on plans with a planted violation. */
import { expect, test } from 'vitest'
import { differenceOf } from './describe.ts'
import { listOf, only, planOf, type Step } from './scenarios.ts'
import { kindOf, shrink } from './shrink.ts'

const plan = planOf(1, 300)
const numbersOf = (steps: readonly Step[]) => steps.map(({ number }) => number)
/** Fails if it has all of these steps. */
const needs = (numbers: readonly number[]) => async (steps: readonly Step[]) =>
  numbers.every((number) => steps.some((step) => step.number === number))

test.each([[[7]], [[3, 120, 299]], [[1, 2, 3, 4, 150, 300]], [[]]])(
  'the steps %j, which fail together, are found',
  async (planted) => {
    for (const together of [1, 2, 3])
      expect(numbersOf(await shrink(plan, { fails: needs(planted), together }))).toEqual(planted)
  },
)

test('the search takes few runs', async () => {
  let runs = 0
  const fails = (steps: readonly Step[]) => {
    runs++
    return needs([50, 200])(steps)
  }
  await shrink(plan, { fails })
  expect(runs).toBeLessThan(60)
})

test('a search that must end returns a list that fails', async () => {
  let runs = 0
  const fails = (steps: readonly Step[]) => {
    runs++
    return needs([20, 280])(steps)
  }
  const found = await shrink(plan, { fails, isOver: () => runs >= 5 })
  expect(runs).toBe(5)
  expect(found.length).toBeLessThan(plan.length)
  expect(await needs([20, 280])(found)).toBe(true)
})

test('a list of numbers names the steps that are left', () => {
  const steps = only(plan, '3,7,12-15')
  expect(numbersOf(steps)).toEqual([3, 7, 12, 13, 14, 15])
  expect(listOf(steps)).toBe('3,7,12-15')
})

test('violations of one kind differ in names and numbers', () => {
  const one = kindOf(
    'notifications of person1: lacks like at://did:plc:a/b/c ; has reply at://did:plc:a/b/d ',
  )
  expect(kindOf('notifications of person23: lacks like at://did:plc:x/y/z ')).toBe(one)
  expect(kindOf('notifications of person23: lacks reply at://did:plc:x/y/z ')).not.toBe(one)
  expect(kindOf('events of two: person3: app.bsky.feed.post/3k is missing')).toBe(
    kindOf('events of one: person1: app.bsky.feed.like/3j is missing'),
  )
})

test('the first line in which two traces differ is named', () => {
  expect(differenceOf(['a', 'b'], ['a', 'b'])).toBeUndefined()
  expect(differenceOf(['a', 'b'], ['a', 'c'])).toContain('b\n')
  expect(differenceOf(['a'], ['a', 'c'])).toContain('c')
})
