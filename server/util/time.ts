/** Datetimes as text: ISO 8601 in UTC with milliseconds, so that text order is time order. */
import type { DatetimeString } from '@atproto/syntax'

export type { DatetimeString }

export function iso(at: Date): DatetimeString {
  return at.toISOString() as DatetimeString
}

/** Parses a time of our own files; undefined if it is missing or damaged. */
export function storedTime(value: unknown): Date | undefined {
  const at = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(at.getTime()) ? undefined : at
}

/**
 * Parses a client's datetime; undefined if invalid or outside the years 0 to 9999. Leap seconds and days such as the 31st of
 * June are invalid, although `Date` turns the latter into the 1st of July.
 */
export function instant(text: string): Date | undefined {
  const at = new Date(text)
  const year = at.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) return undefined
  const day = text.slice(0, 'YYYY-MM-DD'.length)
  return iso(new Date(day)).startsWith(day) ? at : undefined
}

export const dayMs = 24 * 60 * 60_000

/** The date in UTC, `YYYY-MM-DD`. */
export function dayOf(at: Date): string {
  return iso(at).slice(0, 'YYYY-MM-DD'.length)
}
