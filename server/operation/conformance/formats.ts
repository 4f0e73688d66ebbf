/** A report as text: a table for people, JSON, JUnit for CI, Markdown. */
import type { Outcome, Report, Result } from './runner.ts'
import { isUnexpected } from './runner.ts'

export type Format = (report: Report) => string

const marks: Readonly<Record<Outcome, string>> = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' }

/** Returns the outcome as people read it. */
function outcomeOf({ outcome, expected, level }: Result): string {
  if (outcome !== 'failed') return marks[outcome]
  if (expected !== undefined) return 'expected'
  return level === 'must' ? 'FAILED' : 'failed'
}

function reasonOf({ reason = '', expected, outcome }: Result): string {
  return outcome === 'failed' && expected !== undefined ? `${reason} (expected: ${expected})` : reason
}

/** One line, as it is printed while the command runs. */
export function lineOf(result: Result): string {
  const { area, id, level, title, outcome } = result
  const cells = [area.padEnd(12), id.padEnd(48), level.padEnd(6), outcomeOf(result).padEnd(8)]
  const reason = reasonOf(result)
  return `${cells.join(' ')} ${outcome === 'failed' ? `${title}: ${reason}` : reason}`.trimEnd()
}

const endings: Readonly<Record<NonNullable<Report['ended']>, string>> = {
  interrupted: 'It was interrupted: the other requirements were not tried.',
  late: 'The server was too slow: the other requirements were not tried.',
  unanswered: 'The server no longer answers: the other requirements were not tried.',
}

/** What follows the lines: the counts, and what to do. */
export const summary: Format = ({ url, results, fixed, leftovers, ended }) => {
  const levels = ['must', 'should', 'info'] as const
  const lines = levels.map((level) => {
    const own = results.filter((result) => result.level === level)
    const count = (outcome: Outcome) => own.filter((result) => result.outcome === outcome).length
    return `${level.padEnd(6)} ${count('passed')} met, ${count('failed')} failed, ${count('skipped')} skipped`
  })
  const failed = results.filter(isUnexpected).map((result) => `  ${result.id}  ${result.source}`)
  return [
    '',
    url,
    ...lines,
    ...(ended ? ['', endings[ended]] : []),
    ...(failed.length > 0 ? ['', 'A must failed:', ...failed] : []),
    ...(fixed.length > 0 ? ['', 'Expected to fail, but met:', ...fixed.map((id) => `  ${id}`)] : []),
    ...(leftovers.length > 0 ? ['', 'Not deleted at the end:', ...leftovers.map((text) => `  ${text}`)] : []),
    '',
  ].join('\n')
}

export const json: Format = (report) => `${JSON.stringify(report, null, 2)}\n`

/** The format of JUnit, a suite per area. Only an unexpected failure of a `must` is a failure there. */
export const junit: Format = ({ url, results }) => {
  const areas = [...new Set(results.map(({ area }) => area))]
  const suites = areas.map((area) => {
    const own = results.filter((result) => result.area === area)
    const failures = own.filter(isUnexpected).length
    const skipped = own.filter((result) => result.outcome !== 'passed').length - failures
    const counts = `tests="${own.length}" failures="${failures}" skipped="${skipped}"`
    return `  <testsuite name="${xml(area)}" ${counts}>\n${own.map(testCase).join('\n')}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(url)}">\n${suites.join('\n')}\n</testsuites>\n`
}

function testCase(result: Result): string {
  const { area, id, level, ms, source, outcome } = result
  const start = `    <testcase classname="${xml(`${area}.${level}`)}" name="${xml(id)}" time="${ms / 1000}"`
  if (outcome === 'passed') return `${start} />`
  const message = xml(reasonOf(result))
  const end = isUnexpected(result)
    ? `<failure message="${message}">${xml(source)}</failure>`
    : `<skipped message="${message}" />`
  return `${start}>${end}</testcase>`
}

function xml(text: string): string {
  const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  // XML 1.0 has no other control characters.
  return text
    .replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '')
    .replaceAll(/[^\P{Cc}\t\n\r]/gu, '\ufffd')
    .replaceAll('\n', '&#10;')
}

export const markdown: Format = (report) => {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;')
  /** Shows text of a server as plain text: its links, pictures and HTML have no effect. */
  const quoted = (text: string) => cell(text.replaceAll('&', '&amp;').replaceAll(/[\\`*_~[\]]/g, '\\$&'))
  const rows = report.results.map((result) => {
    const { area, id, level, title } = result
    return `| ${[area, `\`${id}\``, level, outcomeOf(result), title].map(cell).join(' | ')} | ${quoted(reasonOf(result))} |`
  })
  return [
    `# Conformance of ${report.url}`,
    summary({ ...report, leftovers: report.leftovers.map(quoted) }),
    '| area | id | level | result | requirement | reason |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

/** The list of requirements, for `--list`. */
export function listOf(
  requirements: readonly { id: string; level: string; title: string; source: string }[],
): string {
  const lines = requirements.map(
    ({ id, level, title, source }) => `${id.padEnd(48)} ${level.padEnd(6)} ${title}  [${source}]`,
  )
  return `${lines.join('\n')}\n`
}
