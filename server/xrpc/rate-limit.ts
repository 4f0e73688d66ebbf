/**
 * Rate limits, counted in memory: they slow guessing down, and a restart may forget them.
 * Headers follow the IETF draft "RateLimit header fields for HTTP" (RateLimit-Limit, -Remaining, -Reset in seconds, -Policy).
 */
import type { ServerResponse } from 'node:http'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { XrpcError } from './errors.ts'

export interface RateLimit<Input = unknown> {
  /** Calls allowed in a window. */
  readonly points: number
  /** Length of the window. */
  readonly seconds: number
  /** Whom the calls are counted for: the remote address, the signed-in account, or what the input names. */
  readonly per: 'address' | 'account' | ((input: Input, address: string) => string)
}

export interface LimitedCall {
  readonly input: unknown
  readonly address: string
  /** DID of the caller's account, when there is one. */
  readonly account: string | undefined
}

export type CheckLimits = (call: LimitedCall, res: ServerResponse) => Promise<void>

/** The limiter of one method. It writes the headers of the limit that is nearest to its end, and throws when one is passed. */
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

/** Slows guessing down: too many wrong tries from one address, and for a while even the right one is refused. */
export function guessLimiter({ points, seconds: duration }: Omit<RateLimit, 'per'>) {
  const counter = new RateLimiterMemory({ points, duration })
  return {
    /** @throws RateLimitExceeded */
    async check(address: string): Promise<void> {
      const state = await counter.get(address)
      if (state && state.consumedPoints >= points) throw tooMany(state)
    },
    async countWrong(address: string): Promise<void> {
      await counter.penalty(address)
    },
  }
}

function tooMany(state: RateLimiterRes): XrpcError {
  const wait = seconds(state)
  return new XrpcError('RateLimitExceeded', `Too many calls. Try again in ${wait} seconds.`, wait)
}

function keyOf(limit: RateLimit, call: LimitedCall): string {
  if (limit.per === 'address') return call.address
  if (limit.per === 'account') return call.account ?? call.address
  return limit.per(call.input, call.address)
}

/** The library rejects with its state when a limit is passed, and with an error when something broke. */
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
