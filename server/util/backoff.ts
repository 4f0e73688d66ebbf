/** Exponential back-off. */
import { randomFraction } from './random.ts'

/** Delays between attempts. */
export interface Backoff {
  /** Milliseconds after the first failure. */
  readonly firstMs: number
  /** Milliseconds, before the jitter. */
  readonly longestMs: number
  /** Growth per failure; 2 by default. */
  readonly factor?: number
  /** Range of the random number that a delay is multiplied by, so that clients of a server do not all come back at once; [1, 1] by default. */
  readonly jitter?: readonly [number, number]
}

/**
 * Returns the milliseconds to wait before the next attempt.
 * @param failures consecutive failures before the last one: 0 after the first
 */
export function backoffMs({ firstMs, longestMs, factor = 2, jitter }: Backoff, failures: number): number {
  const delayMs = Math.min(firstMs * factor ** failures, longestMs)
  if (!jitter) return delayMs
  const [least, most] = jitter
  return delayMs * (least + randomFraction() * (most - least))
}
