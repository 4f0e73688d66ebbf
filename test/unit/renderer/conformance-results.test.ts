/** The results of a check: their order, filters, and the document that is copied. */
import { describe, expect, test } from 'vitest'
import {
  chosen,
  countOf,
  markdownOf,
  noFilter,
  type Result,
  reasonOf,
} from '../../../renderer/screens/conformance/results.ts'

const result = (id: string, level: string, outcome: string, reason?: string): Result =>
  ({
    id,
    area: 'repo',
    level,
    outcome,
    title: `Title of ${id}`,
    source: 'RFC 1 §1',
    reason,
    milliseconds: 1,
  }) as Result

const results = [
  result('repo.a', 'must', 'passed'),
  result('repo.b', 'info', 'failed', 'x'),
  result('repo.c', 'must', 'skipped', 'it needs the password of the administrator: --admin'),
  result('repo.d', 'should', 'failed', 'a | b <c>'),
  result('repo.e', 'must', 'failed', 'no'),
]
const ids = (filter = {}) => chosen(results, { ...noFilter, ...filter }).map(({ id }) => id)

describe('results', () => {
  test('are sorted: failures first, those of a must before others', () => {
    expect(ids()).toEqual(['repo.e', 'repo.d', 'repo.b', 'repo.c', 'repo.a'])
  })

  test('are filtered by outcome, id and title', () => {
    expect(ids({ outcome: 'passed' })).toEqual(['repo.a'])
    expect(ids({ text: ' REPO.C ' })).toEqual(['repo.c'])
    expect(ids({ text: 'title of repo.d' })).toEqual(['repo.d'])
    expect(ids({ text: 'absent' })).toEqual([])
  })

  test('are counted', () => {
    expect(countOf(results, 'must', 'failed')).toBe(1)
    expect(countOf(results, 'must', 'passed')).toBe(1)
  })

  test('lack options of the command in their reasons', () => {
    expect(
      reasonOf(result('repo.c', 'must', 'skipped', 'it needs the password of the administrator: --admin')),
    ).toBe('it needs the password of the administrator')
    expect(reasonOf(result('repo.c', 'must', 'skipped', 'x: --plc names the directory'))).toBe('x')
  })

  test('as Markdown are two tables, whose cells cannot break them', () => {
    const text = markdownOf(results, 'https://pds.example.com')
    expect(text).toContain('# Protocol check of https://pds.example.com\n')
    expect(text).toContain('| must | 1 | 1 | 1 |')
    expect(text).toContain('| repo | `repo.d` | should | Not met | Title of repo.d | a \\| b &lt;c> |')
    expect(text.trimEnd().split('\n')).toHaveLength(15)
  })
})
