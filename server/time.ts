/** Instants as text: ISO 8601 in UTC with milliseconds, which sorts as it reads. */
import type { DatetimeString } from '@atproto/syntax'

export type { DatetimeString }

export function iso(at: Date): DatetimeString {
  return at.toISOString() as DatetimeString
}
