/** The seen marker: what arrived until then is read. */
import { type DatetimeString, iso } from '../time.ts'
import { protocolError } from '../xrpc/errors.ts'

/**
 * A moment that a client gave, as notifications are dated: in UTC and to the millisecond. A moment in the future is taken as it
 * is: what arrives until then is read.
 * @throws InvalidRequest for what is no moment between the years 0 and 9999, such as a leap second or the 31st of June
 */
export function seenMarker(text: string): DatetimeString {
  const at = new Date(text)
  const year = at.getUTCFullYear()
  if (year >= 0 && year <= 9999 && isDay(text.slice(0, 'YYYY-MM-DD'.length))) return iso(at)
  throw protocolError('InvalidRequest', 'seenAt is not a date that this server can handle')
}

/** `Date` takes a day that its month does not have for one of the next month. */
function isDay(text: string): boolean {
  return iso(new Date(text)).startsWith(text)
}
