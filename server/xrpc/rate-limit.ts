/**
 * Rate limits, counted in memory: a restart resets them, which still slows guessing down.
 * Headers follow the IETF draft "RateLimit header fields for HTTP" (RateLimit-Limit, -Remaining, -Reset in seconds, -Policy).
 */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import { XrpcError } from './errors.ts'

export interface RateLimit<Input = unknown> {
  /** Calls allowed in a window. */
  readonly points: number
  /** Length of the window. */
  readonly seconds: number
  /** The key of the counter: the caller's source, the account, or a text made from the input. */
  readonly per: 'address' | 'account' | ((input: Input, address: string) => string)
}

export interface LimitedCall {
  readonly input: unknown
  /** The caller's source. */
  readonly address: string
  /** DID of the caller's account, when there is one. */
  readonly account: string | undefined
}

export type CheckLimits = (call: LimitedCall, res: ServerResponse) => Promise<void>

/** Creates the limiter of a method, which sets the headers of the limit with the fewest calls left. @throws RateLimitExceeded */
export function limiter(nsid: string, limits: readonly RateLimit[]): CheckLimits {
  const counters = limits.map((limit, index) => ({
    limit,
    counter: new RateLimiterMemory({
      keyPrefix: `${nsid}#${index}`,
      points: limit.points,
      duration: limit.seconds,
    }),
  }))
  return async (call, res) => {
    let tightest: { limit: RateLimit; state: RateLimiterRes } | undefined
    for (const { limit, counter } of counters) {
      const state = await counter.consume(keyOf(limit, call)).catch(orState)
      if (!tightest || state.remainingPoints < tightest.state.remainingPoints) tightest = { limit, state }
      if (state.consumedPoints > limit.points) {
        writeHeaders(res, limit, state)
        throw tooMany(state)
      }
    }
    if (tightest) writeHeaders(res, tightest.limit, tightest.state)
  }
}

/**
 * Creates a limiter of wrong guesses. Beyond the limit even the right one is refused until the window ends. A guess is counted
 * synchronously, so that concurrent guesses do not all pass.
 * @throws RateLimitExceeded
 */
export function guessLimiter({ points, seconds: duration }: Omit<RateLimit, 'per'>) {
  const counter = new RateLimiterMemory({ points, duration })
  return async (source: string, isRight: boolean): Promise<void> => {
    const state = isRight ? await counter.get(source) : await counter.penalty(source)
    const wrong = state?.consumedPoints ?? 0
    if (state && (isRight ? wrong >= points : wrong > points)) throw tooMany(state)
  }
}

function tooMany(state: RateLimiterRes): XrpcError {
  const wait = seconds(state)
  return new XrpcError('RateLimitExceeded', `Too many calls. Try again in ${wait} seconds.`, {
    retryAfter: wait,
  })
}

function keyOf(limit: RateLimit, call: LimitedCall): string {
  if (limit.per === 'address') return call.address
  if (limit.per === 'account') return call.account ?? call.address
  // Keys stay in memory for the whole window: a hash bounds their length.
  return createHash('sha256').update(limit.per(call.input, call.address)).digest('base64url')
}

/** The library rejects with its state when a limit is exceeded, and with an Error on failure. */
function orState(reason: unknown): RateLimiterRes {
  if (reason instanceof RateLimiterRes) return reason
  throw reason
}

function seconds(state: RateLimiterRes): number {
  return Math.ceil(state.msBeforeNext / 1000)
}

function writeHeaders(res: ServerResponse, limit: RateLimit, state: RateLimiterRes): void {
  res.setHeader('RateLimit-Limit', limit.points)
  res.setHeader('RateLimit-Remaining', state.remainingPoints)
  res.setHeader('RateLimit-Reset', seconds(state))
  res.setHeader('RateLimit-Policy', `${limit.points};w=${limit.seconds}`)
}
