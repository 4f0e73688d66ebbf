/** Counts what happened within the last hour. */

export interface HourCounter {
  add(count: number): void
  /** Returns the sum of the last hour, to a minute. */
  sum(): number
}

const minutes = 60

export function createHourCounter(now: () => Date): HourCounter {
  const counts = new Array<number>(minutes).fill(0)
  /** The minute of the newest count. */
  let newest = minuteOf(now())

  /** Makes the present minute the newest one. */
  function advance(): void {
    const present = minuteOf(now())
    for (let passed = Math.min(present - newest, minutes); passed > 0; passed--) {
      counts[(present - passed + 1) % minutes] = 0
    }
    newest = Math.max(newest, present)
  }

  return {
    add(count) {
      advance()
      counts[newest % minutes] = (counts[newest % minutes] ?? 0) + count
    },
    sum() {
      advance()
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}

function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / 60_000)
}
