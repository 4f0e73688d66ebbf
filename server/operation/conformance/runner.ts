/** Measures a server: checks one requirement after another, and compares the results with those that are expected. */
import { realElapsed } from '../../util/deadlines.ts'
import { areaOf, type Level, type Requirement } from './requirement.ts'
import { createTarget, type Target, type TargetOptions } from './target.ts'
import { Failed, plain, Skipped } from './verdict.ts'

/** Reasons of failures that are expected, by the id of the requirement. */
export type Expected = ReadonlyMap<string, string>

export type Outcome = 'passed' | 'failed' | 'skipped'

export interface Result {
  readonly area: string
  readonly id: string
  readonly level: Level
  readonly title: string
  readonly source: string
  readonly outcome: Outcome
  /** Why it failed or was skipped, or what was measured. */
  readonly reason: string | undefined
  /** Why a failure is expected. */
  readonly expected: string | undefined
  readonly ms: number
}

export interface Report {
  readonly url: string
  readonly results: readonly Result[]
  /** Expected failures that passed. */
  readonly fixed: readonly string[]
  /** What could not be deleted at the end. */
  readonly leftovers: readonly string[]
  /** Whether a `must` has failed that is not expected to. */
  readonly hasFailed: boolean
}

export interface RunOptions extends TargetOptions {
  readonly requirements: readonly Requirement[]
  readonly expected?: Expected
}

/** Yields each result as it arrives, and returns the report. */
export async function* measuring({
  requirements,
  expected = new Map(),
  ...options
}: RunOptions): AsyncGenerator<Result, Report> {
  const target = createTarget(options)
  const results: Result[] = []
  let leftovers: readonly string[] = []
  try {
    for (const requirement of requirements) {
      if (options.signal?.aborted) break
      const result = await resultOf(requirement, target, expected)
      results.push(result)
      yield result
    }
  } finally {
    leftovers = await target.close()
  }
  const fixed = results
    .filter(({ id, outcome }) => outcome === 'passed' && expected.has(id))
    .map(({ id }) => id)
  const hasFailed = results.some(isUnexpected)
  return { url: target.url, results, fixed, leftovers, hasFailed }
}

/** @param onResult called with each result as it arrives */
export async function measure(options: RunOptions, onResult?: (result: Result) => void): Promise<Report> {
  const results = measuring(options)
  for (;;) {
    const { done, value } = await results.next()
    if (done) return value
    onResult?.(value)
  }
}

/** Whether a result lets the command fail. */
export function isUnexpected({ level, outcome, expected }: Result): boolean {
  return level === 'must' && outcome === 'failed' && expected === undefined
}

async function resultOf(requirement: Requirement, target: Target, expected: Expected): Promise<Result> {
  const { id, level, title, source } = requirement
  const startedAt = realElapsed()
  const known = { area: areaOf(requirement), id, level, title, source, expected: expected.get(id) }
  const ended = (outcome: Outcome, reason?: string): Result => ({
    ...known,
    ...{
      outcome,
      reason: reason === undefined ? undefined : plain(reason),
      ms: Math.round(realElapsed() - startedAt),
    },
  })
  try {
    target.checkTime()
    return ended('passed', (await requirement.check(target)) ?? undefined)
  } catch (error) {
    if (error instanceof Skipped) return ended('skipped', error.message)
    if (error instanceof Failed) return ended('failed', error.message)
    // An answer of an unexpected shape, such as a list that is absent.
    return ended('failed', `an answer has another form than expected: ${(error as Error).message}`)
  }
}
