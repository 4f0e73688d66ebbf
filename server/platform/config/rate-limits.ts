/** Periods of rate limits, for the `limits` of each method: those of a sign-in are in `createSession.ts`. */
import { CODE_LIFETIME_MINUTES } from '../mail/templates.ts'
import type { RateLimit } from '../xrpc/rate-limit.ts'

type Per<Input, Services> = RateLimit<Input, Services>['per']

export function perFiveMinutes<Input, Services = unknown>(
  points: number,
  per: Per<Input, Services>,
): RateLimit<Input, Services> {
  return { points, seconds: 5 * 60, per }
}

/** While a mailed code is valid. */
export function perCodeLifetime<Input>(points: number, per: Per<Input, unknown>): RateLimit<Input> {
  return { points, seconds: CODE_LIFETIME_MINUTES * 60, per }
}

export function hourly<Input>(points: number, per: Per<Input, unknown>): RateLimit<Input> {
  return { points, seconds: 60 * 60, per }
}

export function daily<Input, Services = unknown>(
  points: number,
  per: Per<Input, Services>,
): RateLimit<Input, Services> {
  return { points, seconds: 24 * 60 * 60, per }
}

/** For methods that send mail to the account's own address. */
export const mailLimits: readonly RateLimit<unknown>[] = [hourly(5, 'account'), daily(15, 'account')]
