/** A change of a record of another server, as sources yield it. */
import type { RecordName } from '../../repository/tables/records.ts'

export interface RemoteChange extends RecordName {
  /** Revision of the commit that made the change, or of a later one that proves it. */
  readonly rev: string
  /** The record; undefined if it was deleted. */
  readonly content: { readonly cid: string; readonly bytes: Uint8Array } | undefined
}
