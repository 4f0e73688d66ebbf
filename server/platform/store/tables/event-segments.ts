/** Table `event_segments`: files of earlier versions with older events. It is empty once the server has started. */
import type { Reader, Writer } from '../database.ts'
import type { StoredEvent } from './events.ts'

export interface Segment {
  readonly firstSeq: number
  readonly lastSeq: number
  /** Time of its newest event, in milliseconds since 1970. */
  readonly at: number
  /** Bytes of its frames. */
  readonly bytes: number
  /** Name of its file. */
  readonly name: string
}

export interface SegmentEvent extends StoredEvent {
  readonly did: string
}

export function all(db: Reader): Segment[] {
  return db.all<Segment>(
    `SELECT first_seq AS firstSeq, last_seq AS lastSeq, created_at AS at, bytes, name
     FROM event_segments ORDER BY last_seq`,
  )
}

/** Replaces a segment by rows of `events`. Without its events, it counts as outdated. */
export function takeIn(tx: Writer, segment: Segment, events: readonly SegmentEvent[] | undefined): void {
  const { lastSeq, at, bytes } = segment
  tx.run('DELETE FROM event_segments WHERE last_seq = ?', [lastSeq])
  if (!events) {
    tx.run('UPDATE event_state SET bytes = bytes - ?, outdated_seq = max(outdated_seq, ?) WHERE id = 1', [
      bytes,
      lastSeq,
    ])
  }
  for (const { seq, kind, did, frame } of events ?? []) {
    tx.run('INSERT INTO events (seq, kind, did, created_at, frame) VALUES (?, ?, ?, ?, ?)', [
      ...[seq, kind, did, at, frame],
    ])
  }
}
