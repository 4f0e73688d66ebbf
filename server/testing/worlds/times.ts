/** The times of a world: relative to its end, or ISO 8601. */
const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Returns milliseconds since 1970; NaN for an invalid date. @param end of the world */
export function timeOf(text: string, end: Date): number {
  return text.startsWith('-') ? end.getTime() - durationOf(text) : Date.parse(text)
}

/** Returns the milliseconds of a duration such as `1d12h`. */
export function durationOf(text: string): number {
  let sum = 0
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g))
    sum += Number(count) * units[unit as keyof typeof units]
  return Math.round(sum)
}
