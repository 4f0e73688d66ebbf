import type { com } from '../../../lexicons/generated/index.ts'
import { t } from '../../strings/en.ts'

export type Result = com.core.admin.getConformance.Result

export const levels = ['must', 'should', 'info'] as const
export const outcomes = ['failed', 'skipped', 'passed'] as const

export type Level = (typeof levels)[number]
export type Outcome = (typeof outcomes)[number]

export interface Filter {
  /** Part of the id or of the title. */
  readonly text: string
  readonly outcome: keyof typeof t.conformance.outcome
}

export const noFilter: Filter = { text: '', outcome: 'any' }

export function levelOf({ level }: Result): Level {
  return levels.find((known) => known === level) ?? 'info'
}

export function outcomeOf({ outcome }: Result): Outcome {
  return outcomes.find((known) => known === outcome) ?? 'skipped'
}

/** Returns the results that match, failures first, those of a must before others; otherwise in the order of the check. */
export function chosen(results: readonly Result[], { text, outcome }: Filter): Result[] {
  const words = text.trim().toLowerCase()
  return results
    .filter((result) => outcome === 'any' || outcomeOf(result) === outcome)
    .filter(({ id, title }) => `${id} ${title}`.toLowerCase().includes(words))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf(result: Result): number {
  const outcome = outcomes.indexOf(outcomeOf(result))
  return outcome * levels.length + (outcome === 0 ? levels.indexOf(levelOf(result)) : 0)
}

export function countOf(results: readonly Result[], level: Level, outcome: Outcome): number {
  return results.filter((result) => levelOf(result) === level && outcomeOf(result) === outcome).length
}

/** Returns the reason without the option of the command that would help there. */
export function reasonOf({ reason }: Result): string | undefined {
  return reason?.replace(/: --\w[\w:\- A-Z]*$/, '')
}

/** The order of the counts. */
const columns: readonly Outcome[] = ['passed', 'failed', 'skipped']

/** Returns a document with a table of all results. */
export function markdownOf(results: readonly Result[], url: string): string {
  const cell = (text: string) =>
    text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ')
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const counts = levels.map((level) =>
    row([level, ...columns.map((each) => `${countOf(results, level, each)}`)]),
  )
  const rows = chosen(results, noFilter).map((result) => {
    const { area, id, title } = result
    const outcome = t.conformance.outcome[outcomeOf(result)]
    return row([area, `\`${id}\``, levelOf(result), outcome, title, reasonOf(result) ?? ''].map(cell))
  })
  return [
    `# ${t.conformance.markdownTitle(url)}`,
    '',
    row([t.conformance.level, ...columns.map((outcome) => t.conformance.outcome[outcome])]),
    row(['---', '---', '---', '---']),
    ...counts,
    '',
    row(t.conformance.columns),
    row(t.conformance.columns.map(() => '---')),
    ...rows,
    '',
  ].join('\n')
}
