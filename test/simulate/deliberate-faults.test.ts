import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deliberateFaults } from './deliberate-faults.ts'
import { planOfRun, readFound } from './prove/found.ts'

const root = join(import.meta.dirname, '../..')

test.each(deliberateFaults())(
  'the deliberate fault $name fits the sources, and says what it does',
  ({ patch, words }) => {
    expect(words).toMatch(/^[A-Z].*\.$/)
    execFileSync('git', ['apply', '--check', patch], { cwd: root })
  },
)

test('the runs that are kept have found faults that still exist, by acts that still exist', () => {
  const names = deliberateFaults().map(({ name }) => name)
  for (const [name, run] of Object.entries(readFound())) {
    expect(names).toContain(name)
    expect(planOfRun(run).length, name).toBeGreaterThan(0)
  }
})
