/** The page `.github/CONFORMANCE.md`: what each server meets of the requirements. */
import type { Level, Requirement } from '../../server/operation/conformance/requirement.ts'
import type { Outcome } from '../../server/operation/conformance/runner.ts'

export interface Measured {
  /** Name and version of the server. */
  readonly name: string
  /** Day of the measurement. */
  readonly on: string
  /** How it was run, and where its failures come from. */
  readonly note?: string
  readonly results: readonly {
    readonly id: string
    readonly outcome: Outcome
    readonly reason?: string | undefined
  }[]
}

const marks: Readonly<Record<Outcome, string>> = { passed: 'met', failed: '**failed**', skipped: 'skipped' }
const levels: readonly Level[] = ['must', 'should', 'info']
const outcomes: readonly Outcome[] = ['passed', 'failed', 'skipped']

export function reportPage(requirements: readonly Requirement[], servers: readonly Measured[]): string {
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  const head = (cells: readonly string[]) => [row(cells), row(cells.map(() => '---'))]
  const columns = servers.map(({ name }) => name)
  return [
    '# Protocol check',
    '',
    'What personal data servers meet of the requirements that `desktop-pds conformance` measures. `npm run conformance:report` measures this',
    'server and the reference server and writes this page; the results of other servers are in `test/interop/peers/`. A requirement is',
    'skipped if it could not be tried there.',
    '',
    ...head([
      'server',
      'measured on',
      ...levels.flatMap((level) => outcomes.map((each) => `${level} ${each === 'passed' ? 'met' : each}`)),
    ]),
    ...servers.map((server) => row([server.name, server.on, ...counts(requirements, server)])),
    '',
    ...servers.flatMap(({ name, note }) => (note ? [`- ${name}: ${note}`] : [])),
    '',
    '## Failures',
    '',
    ...head(['requirement', 'level', 'server', 'reason']),
    ...requirements.flatMap(({ id, level }) =>
      servers.flatMap(({ name, results }) => {
        const found = results.find((result) => result.id === id)
        return found?.outcome === 'failed' ? [row([`\`${id}\``, level, name, found.reason ?? ''])] : []
      }),
    ),
    '',
    '## Requirements',
    '',
    ...head(['requirement', 'level', ...columns]),
    ...requirements.map(({ id, level }) =>
      row([`\`${id}\``, level, ...servers.map((server) => markOf(server, id))]),
    ),
    '',
  ].join('\n')
}

function counts(requirements: readonly Requirement[], { results }: Measured): string[] {
  const levelOf = new Map(requirements.map(({ id, level }) => [id, level]))
  return levels.flatMap((level) =>
    outcomes.map((outcome) => {
      const found = results.filter((result) => levelOf.get(result.id) === level && result.outcome === outcome)
      return String(found.length)
    }),
  )
}

function markOf({ results }: Measured, id: string): string {
  const found = results.find((result) => result.id === id)
  return found ? marks[found.outcome] : 'new'
}

function cell(text: string): string {
  const short = text.length > 240 ? `${text.slice(0, 239)}…` : text
  return short.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;')
}
