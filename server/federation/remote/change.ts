/** A change of a record of another server, as sources yield it. */
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'

export interface RemoteChange {
  readonly did: DidString
  readonly collection: NsidString
  readonly rkey: RecordKeyString
  /** Revision of the commit that made the change, or of a later one that proves it. */
  readonly rev: string
  /** The record; undefined if it was deleted. */
  readonly content: { readonly cid: string; readonly bytes: Uint8Array } | undefined
}
