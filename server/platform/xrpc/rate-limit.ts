/**
 * Rate limits, counted in memory: a restart resets them, which still slows guessing down.
 * Headers follow the IETF draft "RateLimit header fields for HTTP" (RateLimit-Limit, -Remaining, -Reset in seconds, -Policy).
 */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Count, Counters } from './counters.ts'
import { XrpcError } from './xrpc-errors.ts'

export interface RateLimit<Input = unknown, Services = unknown> {
  /** Calls allowed in a window. */
  readonly points: number
  /** Length of the window. */
  readonly seconds: number
  /** The key of the counter: the caller's source, the account, or a text made from the input; undefined: the call is not counted. */
  readonly per:
    | 'address'
    | 'account'
    | ((input: Input, address: string, services: Services) => string | undefined)
}

export interface LimitedCall {
  readonly input: unknown
  /** The caller's source. */
  readonly address: string
  /** DID of the caller's account, when there is one. */
  readonly account: string | undefined
}

export type CheckLimits = (call: LimitedCall, res: Pick<ServerResponse, 'setHeader'>) => void

/** Creates the limiter of a method, which sets the headers of the limit with the fewest calls left. @throws RateLimitExceeded */
export function limiter<Services = unknown>(
  limits: readonly RateLimit<unknown, Services>[],
  services: Services,
): CheckLimits {
  const counted = limits.map((limit) => ({ limit, counters: new Counters(limit.seconds) }))
  return (call, res) => {
    let tightest: { limit: RateLimit<unknown, Services>; state: Count } | undefined
    for (const { limit, counters } of counted) {
      const key = keyOf(limit, call, services)
      if (key === undefined) continue
      const state = counters.add(key)
      if (!tightest || remaining(limit, state) < remaining(tightest.limit, tightest.state))
        tightest = { limit, state }
      if (state.count > limit.points) {
        writeHeaders(res, limit, state)
        throw tooMany(state)
      }
    }
    if (tightest) writeHeaders(res, tightest.limit, tightest.state)
  }
}

/**
 * Creates a limiter of wrong guesses. Beyond the limit even the right one is refused until the window ends.
 * @throws RateLimitExceeded
 */
export function guessLimiter({ points, seconds }: Omit<RateLimit, 'per'>) {
  const counters = new Counters(seconds)
  return (source: string, isRight: boolean): void => {
    const state = isRight ? counters.get(source) : counters.add(source)
    if (state && (isRight ? state.count >= points : state.count > points)) throw tooMany(state)
  }
}

/** The refusal of a call beyond a limit. */
export function tooMany(state: Count): XrpcError {
  const wait = seconds(state)
  return new XrpcError('RateLimitExceeded', `Too many calls. Try again in ${wait} seconds.`, {
    retryAfter: wait,
  })
}

function keyOf<Services>(
  limit: RateLimit<unknown, Services>,
  call: LimitedCall,
  services: Services,
): string | undefined {
  if (limit.per === 'address') return call.address
  if (limit.per === 'account') return call.account ?? call.address
  // Keys stay in memory for the whole window: a hash bounds their length.
  const key = limit.per(call.input, call.address, services)
  return key === undefined ? undefined : createHash('sha256').update(key).digest('base64url')
}

function remaining(limit: Pick<RateLimit, 'points'>, { count }: Count): number {
  return Math.max(limit.points - count, 0)
}

function seconds(state: Count): number {
  return Math.ceil(state.msLeft / 1000)
}

function writeHeaders(
  res: Pick<ServerResponse, 'setHeader'>,
  limit: Pick<RateLimit, 'points' | 'seconds'>,
  state: Count,
): void {
  res.setHeader('RateLimit-Limit', limit.points)
  res.setHeader('RateLimit-Remaining', remaining(limit, state))
  res.setHeader('RateLimit-Reset', seconds(state))
  res.setHeader('RateLimit-Policy', `${limit.points};w=${limit.seconds}`)
}
