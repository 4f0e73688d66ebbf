/** Cursors of lists of blobs: the CID of the last one. */
import { validateCidString } from '@atproto/lex-data'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'

/** Returns the CID of a cursor; undefined for the first page. @throws InvalidRequest */
export function blobCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || cursor === '') return undefined
  if (!validateCidString(cursor)) throw protocolError('InvalidRequest', 'Malformed cursor')
  return cursor
}
