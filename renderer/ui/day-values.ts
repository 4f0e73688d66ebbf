/** Values of days as shapes of a drawing: one unit wide for each day, the oldest first. */

const dayMs = 24 * 60 * 60_000

/** Returns the last dates in UTC, oldest first. @param now in milliseconds */
export function lastDates(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const at = new Date(now - (count - 1 - index) * dayMs)
    return at.toISOString().slice(0, 'YYYY-MM-DD'.length)
  })
}

/** Noon of a date, for texts: the same day in almost every time zone. */
export function noonOf(date: string): Date {
  return new Date(`${date}T12:00`)
}

interface OfDay {
  /** A date in UTC, `YYYY-MM-DD`. */
  readonly day: string
}

/** Returns the values of dates; 0 for those without one. */
export function valuesOn<T extends OfDay>(
  dates: readonly string[],
  days: readonly T[],
  amountOf: (day: T) => number,
): number[] {
  const known = new Map(days.map((day) => [day.day, amountOf(day)]))
  return dates.map((date) => known.get(date) ?? 0)
}

/** Returns the path of a stroke upwards for each value that is not 0, as high as its share of the greatest one. */
export function barsPath(values: readonly number[], height: number): string {
  const max = Math.max(1, ...values)
  return values
    .flatMap((value, index) =>
      value > 0 ? `M${index + 0.5} ${height}v${-rounded((value / max) * height)}` : [],
    )
    .join('')
}

/** Returns the outline of the area below the known values of dates; empty if fewer than two are known. */
export function areaPath<T extends OfDay>(
  dates: readonly string[],
  days: readonly T[],
  amountOf: (day: T) => number,
  height: number,
): string {
  const at = new Map(dates.map((date, index) => [date, index + 0.5]))
  const known = days.flatMap((day) => {
    const x = at.get(day.day)
    return x === undefined ? [] : { x, value: amountOf(day) }
  })
  const [first, last] = [known[0], known.at(-1)]
  if (!first || !last || first === last) return ''
  const max = Math.max(1, ...known.map(({ value }) => value))
  const line = known.map(({ x, value }) => `L${x} ${rounded(height - (value / max) * height)}`)
  return `M${first.x} ${height}${line.join('')}L${last.x} ${height}Z`
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
