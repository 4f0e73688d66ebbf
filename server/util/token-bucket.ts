/** Limits a rate and allows bursts: tokens return at a steady rate, up to a capacity. */
import { realElapsed } from './deadlines.ts'

export interface TokenBucket {
  /** Takes tokens, even if that overdraws the bucket. @returns milliseconds until its balance is positive again; 0 if it is now */
  take(count?: number): number
}

interface Options {
  readonly perSecond: number
  /** Tokens of a full bucket. It starts full. */
  readonly capacity: number
  /** Milliseconds by a clock that only goes forward; tests use their own. */
  readonly elapsed?: () => number
}

export function createTokenBucket({ perSecond, capacity, elapsed = realElapsed }: Options): TokenBucket {
  let tokens = capacity
  let at = elapsed()
  return {
    take(count = 1) {
      const present = elapsed()
      tokens = Math.min(capacity, tokens + ((present - at) / 1000) * perSecond) - count
      at = present
      return tokens < 0 ? (-tokens / perSecond) * 1000 : 0
    },
  }
}
