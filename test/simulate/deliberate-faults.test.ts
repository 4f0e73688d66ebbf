import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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

test.each([
  ['{ "one": { "seed": 1,', /found\.json cannot be read: .*JSON.*\. Take it back with git checkout/],
  ['[]', /it is no list of runs/],
  ['{ "one": { "seed": 1, "steps": ["wait 1"], "violation": "" } }', /the run of one is incomplete/],
])('kept runs that are damaged are named with what to do: %s', (content, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'found-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'found.json')
  writeFileSync(file, content)
  expect(() => readFound(file)).toThrow(message)
})
