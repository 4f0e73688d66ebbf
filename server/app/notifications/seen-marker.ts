/** The seen marker: notifications up to it are read. */

import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { type DatetimeString, instant, iso } from '../../util/time.ts'

/**
 * Normalises a client's `seenAt` to the form of `indexedAt`: UTC, milliseconds. A future time is kept.
 * @throws InvalidRequest
 */
export function seenMarker(text: string): DatetimeString {
  const at = instant(text)
  if (at) return iso(at)
  throw protocolError('InvalidRequest', 'seenAt is not a valid datetime')
}
