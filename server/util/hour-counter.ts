/** Counts events of the last hour, or day. */

export interface HourCounter {
  add(count?: number): void
  /** Returns the sum of the last hour, to a minute; of the last day, to an hour. */
  sum(): number
}

export function createHourCounter(now: () => Date): HourCounter {
  return createCounter(now, 60, 60_000)
}

export function createDayCounter(now: () => Date): HourCounter {
  return createCounter(now, 24, 60 * 60_000)
}

/** @param partMs milliseconds of each of the parts that are counted */
function createCounter(now: () => Date, parts: number, partMs: number): HourCounter {
  const partOf = (at: Date) => Math.floor(at.getTime() / partMs)
  const counts = new Array<number>(parts).fill(0)
  /** The newest part with a count. */
  let newest = partOf(now())

  /** Clears the counts of parts that have begun since the last call, and makes the present part the newest. */
  function advance(): void {
    const present = partOf(now())
    for (let passed = Math.min(present - newest, parts); passed > 0; passed--) {
      counts[(present - passed + 1) % parts] = 0
    }
    newest = Math.max(newest, present)
  }

  return {
    add(count = 1) {
      advance()
      counts[newest % parts] = (counts[newest % parts] ?? 0) + count
    },
    sum() {
      advance()
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}
