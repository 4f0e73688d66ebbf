/** Times of the sample: milliseconds after its start, and as text for a world. */
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** Two weeks. */
export const length = 14 * day

/** Writes a time as the time before the end. */
export function ago(at: number): string {
  return `-${Math.round(length - at)}ms`
}

/** Writes a time that is given in days after the start. */
export function onDay(days: number): string {
  return ago(days * day)
}
