/** The page of the last measurement has the requirements of today. A change of a requirement needs the page again. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { requirements } from '../../../../server/operation/conformance/requirements.ts'
import { reportPage } from '../../../interop/report-page.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../.github/CONFORMANCE.md'), 'utf8')
const rowsOf = (text: string) =>
  (text.split('\n## Requirements\n')[1] ?? '').split('\n').filter((line) => line.startsWith('| `'))
const idsAndLevels = (text: string) =>
  rowsOf(text).map((line) => line.slice(2).split(' | ').slice(0, 2).join(' '))

test('the kept report has each requirement with its level, in order: `npm run conformance:report` writes it', () => {
  expect(idsAndLevels(page)).toEqual(requirements.map(({ id, level }) => `\`${id}\` ${level}`))
})

test('the kept report has been measured of this server and of the reference server', () => {
  const [first = ''] = rowsOf(page)
  expect(first.split(' | ').length).toBeGreaterThanOrEqual(4)
  expect(page).toMatch(/^\| Desktop PDS \d.* \| \d{4}-\d\d-\d\d \|/m)
  expect(page).toMatch(/^\| @atproto\/pds \d.* \| \d{4}-\d\d-\d\d \|/m)
  expect(rowsOf(page).filter((line) => / must \| (?:\*\*failed|new)/.test(line))).toEqual([])
})

test('a server that was measured before a requirement existed has it as new', () => {
  const [first, second] = requirements
  const servers = [
    {
      name: 'A',
      on: '2030-01-01',
      results: [{ id: first?.id ?? '', outcome: 'failed' as const, reason: 'a | b' }],
    },
  ]
  const text = reportPage(requirements.slice(0, 2), servers)
  expect(text).toContain(`| \`${first?.id}\` | ${first?.level} | A | a \\| b |`)
  expect(text).toContain(`| \`${second?.id}\` | ${second?.level} | new |`)
})

describe('the command that writes it', () => {
  const run = (...args: string[]) => {
    const command = join(import.meta.dirname, '../../../interop/report.ts')
    const { status, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' })
    return { status, stderr }
  }

  test.each([
    [['Other 1.0'], /^Usage: /],
    [['Other 1.0', '/absent.json'], /^\/absent\.json cannot be read: ENOENT/],
    [['Other 1.0', import.meta.filename], /cannot be read: .*JSON/],
    [
      ['Other 1.0', join(import.meta.dirname, '../../../../tsconfig.json')],
      /is no output of desktop-pds conformance/,
    ],
  ])('%j is refused before anything is measured', (args, words) => {
    expect(run(...args)).toEqual({ status: 2, stderr: expect.stringMatching(words) })
  })
})
