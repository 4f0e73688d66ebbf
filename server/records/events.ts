/** Who is told of records that come and go, within the transaction that writes them. */
import type { LexMap } from '@atproto/lex-data'
import type { AtUriString, DidString, RecordKeyString } from '@atproto/syntax'
import type { Writer } from '../store/database.ts'
import type { DatetimeString } from '../time.ts'

export interface RecordEvent {
  readonly did: DidString
  /** By our own name, also when the record was written under an alias. */
  readonly collection: string
  readonly rkey: RecordKeyString
  /** Under the name that the record was written with. */
  readonly uri: AtUriString
  readonly cid: string
}

export interface RecordCreated extends RecordEvent {
  /** The record, each `$type` in it by our own name. */
  readonly record: LexMap
  readonly at: DatetimeString
}

/** A record that is replaced is deleted, then created. What a listener throws undoes the write. */
export interface RecordListener {
  recordCreated(tx: Writer, event: RecordCreated): void
  recordDeleted(tx: Writer, event: RecordEvent): void
}

export const recordListeners: readonly RecordListener[] = []
