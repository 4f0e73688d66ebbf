import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deliberateFaults } from './deliberate-faults.ts'

const root = join(import.meta.dirname, '../..')

test.each(deliberateFaults())(
  'the deliberate fault $name fits the sources, and says what it does',
  ({ patch, words }) => {
    expect(words).toMatch(/^[A-Z].*\.$/)
    execFileSync('git', ['apply', '--check', patch], { cwd: root })
  },
)
