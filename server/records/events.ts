/** Who is told of records that come and go, within the transaction that writes them. */
import type { LexMap } from '@atproto/lex-data'
import type { AtUriString, DidString, RecordKeyString } from '@atproto/syntax'
import type { Writer } from '../store/database.ts'
import type { DatetimeString } from '../util/time.ts'

export interface RecordEvent {
  readonly did: DidString
  /** By our own name, also when the record was written under an alias. */
  readonly collection: string
  readonly rkey: RecordKeyString
  /** Under the name that the record was written with. */
  readonly uri: AtUriString
  readonly cid: string
  /** The record as DAG-CBOR, as it was written. */
  readonly bytes: Uint8Array
  /** The record, each `$type` in it by our own name. */
  readonly record: LexMap
  /** When this happens. */
  readonly at: DatetimeString
}

/** Called once the transaction is on disk. */
export type AfterCommit = () => void

/** What a listener throws undoes the write. */
export interface RecordListener {
  recordCreated(tx: Writer, event: RecordEvent): AfterCommit | undefined
  /** @param previous the record that was there until now */
  recordUpdated(tx: Writer, event: RecordEvent, previous: RecordEvent): AfterCommit | undefined
  recordDeleted(tx: Writer, event: RecordEvent): AfterCommit | undefined
}
