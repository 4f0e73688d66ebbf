/** Wrong options end `npm run simulate`, instead of a run of nothing. */
import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

const read = (line: string) => readOptions(line === '' ? [] : line.split(' '))

test('20 seeds of 300 steps are run by default, one if it is named', () => {
  expect(read('')).toMatchObject({ first: 1, count: 20, steps: 300, scenario: 'all', prove: undefined })
  expect(read('--seed 7')).toMatchObject({ first: 7, count: 1 })
  expect(read('--prove --fault gap-not-reported')).toMatchObject({
    ...{ steps: 40, prove: { names: ['gap-not-reported'], limit: 2000, writes: false } },
  })
})

test.each([
  ['--seeds abc', '--seeds must be a whole number'],
  ['--seeds 0', '--seeds must be a whole number from 1'],
  ['--steps 0', '--steps must be a whole number from 1'],
  ['--steps=-5', '--steps must be a whole number'],
  ['--steps 1e3', '--steps must be a whole number'],
  ['--seed 1.5', '--seed must be a whole number'],
  ['--seed 4294967296', '--seed must be a whole number from 0 to 4294967295'],
  ['--seed 4294967295 --seeds 2', '--seeds must be a whole number from 1 to 1'],
  ['--scenario discs', '--scenario must be one of all, calm'],
  ['--scenario toString', '--scenario must be one of'],
  ['--only x', '--only must list steps'],
  ['--only 5-3', '--only must list steps'],
  ['--steps 10 --only 11', '--only must list steps from 1 to 10'],
  ['--only 5-3', '--only must list steps'],
  ['--prove --limit 0', '--limit must be a whole number'],
  ['--prove --fault gap-not-reported --fault none', 'There is no fault none'],
  ['--prove --seed 3', '--seed is not used with --prove'],
  ['--limit 3', '--limit is not used without --prove'],
  ['--write', '--write is not used without --prove'],
  ['--seed 3 --seed 4', '--seed is given twice'],
  ['--sed 3', "Unknown option '--sed'"],
  ['now', "Unexpected argument 'now'"],
])('%s is refused: %s', (line, words) => {
  expect(() => read(line)).toThrow(words)
})
