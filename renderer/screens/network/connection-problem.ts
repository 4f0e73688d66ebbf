import { t } from '../../strings/en.ts'

/** Returns a remedy for a failed connection, if its error names the code of a common reason; else the error itself. */
export function connectionProblem(error: string): string {
  const code = /\bE[A-Z_]{5,}\b/.exec(error)?.[0] ?? ''
  return t.upstreams.problems[code] ?? error
}
