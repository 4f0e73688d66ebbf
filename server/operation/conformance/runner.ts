/** Measures a server: checks one requirement after another, and compares the results with those that are expected. */
import { pause, realElapsed } from '../../util/deadlines.ts'
import { areaOf, type Level, type Requirement } from './requirement.ts'
import { createTarget, describeServer, type Target, type TargetOptions } from './target.ts'
import { Failed, NoAnswer, plain, Skipped } from './verdict.ts'

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
  /** Why it ended before its last requirement. */
  readonly ended: 'interrupted' | 'unanswered' | 'late' | undefined
  /** Whether a `must` has failed unexpectedly, or the server has stopped answering or was too slow. */
  readonly hasFailed: boolean
}

export interface RunOptions extends TargetOptions {
  readonly requirements: readonly Requirement[]
  readonly expected?: Expected
  /** Milliseconds within which a server that does not answer may start again. */
  readonly restartMs?: number
}

const defaultRestartMs = 30_000
const unanswered = 'the server no longer answers'

/** Yields each result as it arrives, and returns the report. */
export async function* measuring({
  requirements,
  expected = new Map(),
  restartMs = defaultRestartMs,
  ...options
}: RunOptions): AsyncGenerator<Result, Report> {
  const target = createTarget(options)
  const { signal, url } = target
  const results: Result[] = []
  let leftovers: readonly string[] = []
  let isAlive = true
  let isLate = false
  try {
    for (const requirement of requirements) {
      if (signal?.aborted) break
      const check = isAlive ? requirement.check : notTried
      const { noAnswer, ...result } = await resultOf({ ...requirement, check }, target, expected)
      if (signal?.aborted) break
      if (noAnswer) isAlive = await answersAgain(target, restartMs)
      results.push(result)
      yield result
    }
  } finally {
    isLate = target.isLate()
    leftovers = await target.close()
  }
  const fixed = results
    .filter(({ id, outcome }) => outcome === 'passed' && expected.has(id))
    .map(({ id }) => id)
  const ended = signal?.aborted ? 'interrupted' : !isAlive ? 'unanswered' : isLate ? 'late' : undefined
  const hasFailed = results.some(isUnexpected) || !isAlive || isLate
  return { url, results, fixed, leftovers, ended, hasFailed }
}

async function notTried(): Promise<never> {
  throw new Skipped(unanswered)
}

/** Waits for a server that restarts. @returns whether it answers */
async function answersAgain({ send, signal }: Target, restartMs: number): Promise<boolean> {
  const startedAt = realElapsed()
  for (;;) {
    const isAlive = await send(describeServer).then(
      () => true,
      () => false,
    )
    if (isAlive || signal?.aborted || realElapsed() - startedAt >= restartMs) return isAlive
    await pause(500)
  }
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

/** `noAnswer` says whether a request of the check got no answer. */
async function resultOf(
  requirement: Requirement,
  target: Target,
  expected: Expected,
): Promise<Result & { readonly noAnswer: boolean }> {
  const { id, level, title, source } = requirement
  const startedAt = realElapsed()
  const known = { area: areaOf(requirement), id, level, title, source, expected: expected.get(id) }
  const ended = (outcome: Outcome, reason?: string, noAnswer = false) => ({
    ...known,
    ...{ outcome, reason: reason === undefined ? undefined : plain(reason), noAnswer },
    ms: Math.round(realElapsed() - startedAt),
  })
  try {
    target.checkTime()
    const measured = (await requirement.check(target)) ?? undefined
    if (!(await target.serves())) throw new Skipped('the server refuses right calls too')
    return ended('passed', measured)
  } catch (error) {
    if (error instanceof Skipped) return ended('skipped', error.message)
    if (error instanceof Failed) return ended('failed', error.message, error instanceof NoAnswer)
    // An answer of an unexpected shape, such as a list that is absent.
    return ended('failed', `an answer has another form than expected: ${(error as Error).message}`)
  }
}
