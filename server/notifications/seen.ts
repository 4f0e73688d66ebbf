/** The seen marker: what arrived until then is read. */
import { type DatetimeString, instant, iso } from '../util/time.ts'
import { protocolError } from '../xrpc/errors.ts'

/**
 * A moment that a client gave, as notifications are dated: in UTC and to the millisecond. A moment in the future is taken as it
 * is: what arrives until then is read.
 * @throws InvalidRequest
 */
export function seenMarker(text: string): DatetimeString {
  const at = instant(text)
  if (at) return iso(at)
  throw protocolError('InvalidRequest', 'seenAt is not a date that this server can handle')
}
