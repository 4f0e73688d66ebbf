/** Listener interface for created, updated and deleted records. */
import type { LexMap } from '@atproto/lex-data'
import type { AtUriString, DidString, RecordKeyString } from '@atproto/syntax'
import type { Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'
import type { Link } from '../tables/links.ts'

export interface RecordEvent {
  /** Row of the record, which an update keeps. */
  readonly id: number
  readonly did: DidString
  /** Our name of it. */
  readonly collection: string
  readonly rkey: RecordKeyString
  readonly uri: AtUriString
  readonly cid: string
  /** DAG-CBOR of the record as it is stored. */
  readonly bytes: Uint8Array
  /** With our `$type`s. */
  readonly record: LexMap
  /** The actors and records that the record refers to. */
  readonly links: readonly Link[]
  /** Time of the write. */
  readonly at: DatetimeString
}

/** Called when the transaction is on disk. */
export type AfterCommit = () => void

/** Called within the transaction that writes the record; an error rolls it back. */
export interface RecordListener {
  recordCreated(tx: Writer, event: RecordEvent): AfterCommit | undefined
  /** @param previous the replaced record */
  recordUpdated(tx: Writer, event: RecordEvent, previous: RecordEvent): AfterCommit | undefined
  recordDeleted(tx: Writer, event: RecordEvent): AfterCommit | undefined
}

/** Returns a listener that calls several in order. */
export function combineListeners(...listeners: readonly RecordListener[]): RecordListener {
  const each = (call: (listener: RecordListener) => AfterCommit | undefined): AfterCommit => {
    const callbacks = listeners.map(call)
    return () => {
      for (const callback of callbacks) callback?.()
    }
  }
  return {
    recordCreated: (tx, event) => each((listener) => listener.recordCreated(tx, event)),
    recordUpdated: (tx, event, previous) => each((listener) => listener.recordUpdated(tx, event, previous)),
    recordDeleted: (tx, event) => each((listener) => listener.recordDeleted(tx, event)),
  }
}
