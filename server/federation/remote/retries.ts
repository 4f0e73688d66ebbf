/** Works off rows of a table in the background: some at once, failures again with growing delays. */
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import type { Platform } from '../../platform/platform.ts'
import { backoffMs } from '../../util/backoff.ts'

interface Row {
  /** Consecutive failures. */
  readonly failures: number
}

interface Options<R extends Row> extends Pick<Platform, 'background' | 'log' | 'signal'> {
  /** Named in the log. */
  readonly name: string
  /** How many rows are worked on at once. */
  readonly parallel: number
  readonly keyOf: (row: R) => string
  /** The host that a row keeps busy; by default none is known. Rows of one host get at most half of the places. */
  readonly hostOf?: (row: R) => string
  /** Returns rows that are due, the earliest first. @param busy hosts whose rows must wait */
  readonly due: (limit: number, busy: readonly string[]) => R[]
  readonly work: (row: R) => Promise<void>
  /** Removes a row after it succeeded. */
  readonly done: (row: R) => Promise<void>
  /** Keeps a row for later. @param delayMs from now */
  readonly postpone: (row: R, delayMs: number) => Promise<void>
  /** Removes a row that has failed too often. */
  readonly giveUp: (row: R, error: unknown) => Promise<void>
}

const delays = { firstMs: 60_000, longestMs: 6 * 60 * 60_000, factor: 4 }
/** The last attempt follows about a day after the first. */
const maxFailures = 8

export interface Retries<R> {
  /** Starts the work on all rows that are due. Call it when rows were added, and from time to time. */
  startDue(): void
  /** Returns the row that is worked on, as it was read; undefined if none is. */
  running(key: string): R | undefined
}

export function createRetries<R extends Row>(options: Options<R>): Retries<R> {
  const { name, parallel, keyOf, hostOf, background, log, signal } = options
  const running = new Map<string, R>()

  async function attempt(row: R): Promise<void> {
    try {
      await options.work(row)
    } catch (error) {
      if (signal.aborted) return
      log.info({ err: error, key: keyOf(row) }, `${name} failed`)
      if (isFinal(error) || row.failures + 1 >= maxFailures) return options.giveUp(row, error)
      return options.postpone(row, backoffMs(delays, row.failures))
    }
    await options.done(row)
  }

  function busyHosts(): string[] {
    if (!hostOf) return []
    const byHost = Map.groupBy(running.values(), hostOf)
    return Array.from(byHost).flatMap(([host, rows]) => (rows.length >= parallel / 2 ? [host] : []))
  }

  function startDue(): void {
    if (signal.aborted) return
    while (running.size < parallel) {
      // Running ones are due, too.
      const row = options.due(parallel, busyHosts()).find((each) => !running.has(keyOf(each)))
      if (!row) return
      running.set(keyOf(row), row)
      background.run(name, async () => {
        try {
          await attempt(row)
        } finally {
          running.delete(keyOf(row))
        }
        startDue()
      })
    }
  }
  return { startDue, running: (key) => running.get(key) }
}

/** Whether a further attempt would fail too. */
function isFinal(error: unknown): boolean {
  return error instanceof OutboundRefused || (error instanceof UnresolvableDid && !error.isOutage)
}
