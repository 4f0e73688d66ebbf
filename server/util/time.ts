/** Instants as text: ISO 8601 in UTC with milliseconds, which sorts as it reads. */
import type { DatetimeString } from '@atproto/syntax'

export type { DatetimeString }

export function iso(at: Date): DatetimeString {
  return at.toISOString() as DatetimeString
}

/**
 * The moment that a client names. Undefined for what is none between the years 0 and 9999, such as a leap second or the 31st of
 * June, which `Date` would take for the 1st of July.
 */
export function instant(text: string): Date | undefined {
  const at = new Date(text)
  const year = at.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) return undefined
  const day = text.slice(0, 'YYYY-MM-DD'.length)
  return iso(new Date(day)).startsWith(day) ? at : undefined
}
