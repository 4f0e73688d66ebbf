/**
 * Whether a wait goes on. One that ends further ahead than `longestMs` began while the clock was ahead, and is over: otherwise a
 * clock that was wrong for a minute would stop retries for years.
 * @param until end of the wait, in milliseconds since 1970
 * @param at the present time, in the same unit
 */
export function isWaiting(until: number, at: number, longestMs: number): boolean {
  return until > at && until - at <= longestMs
}
