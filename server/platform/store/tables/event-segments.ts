/** Table `event_segments`: files with older events, in the order of their numbers. All come before the rows of `events`. */
import type { Reader, Writer } from '../database.ts'
import { type EventSize, type Retention, state } from './events.ts'

export interface Segment {
  readonly firstSeq: number
  readonly lastSeq: number
  /** Bytes of its frames. */
  readonly bytes: number
  /** Name of its file. */
  readonly name: string
}

const columns = 'first_seq AS firstSeq, last_seq AS lastSeq, bytes, name'

/** Returns the segment with the first archived event after `after`, if there is one. */
export function next(db: Reader, after: number): Segment | undefined {
  return db.get<Segment>(
    `SELECT ${columns} FROM event_segments WHERE last_seq > ? ORDER BY last_seq LIMIT 1`,
    [after],
  )
}

export function all(db: Reader): Segment[] {
  return db.all<Segment>(`SELECT ${columns} FROM event_segments ORDER BY last_seq`)
}

/**
 * Moves the oldest events of the table to a segment. Returns false, and does nothing, if some of them have been deleted since they
 * were read.
 * @param moved oldest first
 */
export function insert(tx: Writer, name: string, moved: readonly EventSize[]): boolean {
  const [first, last] = [moved.at(0), moved.at(-1)]
  if (!first || !last) return false
  const range = [first.seq, last.seq]
  const left = tx.get<{ count: number }>(
    'SELECT count(*) AS count FROM events WHERE seq BETWEEN ? AND ?',
    range,
  )
  if (left?.count !== moved.length) return false
  tx.run('DELETE FROM events WHERE seq BETWEEN ? AND ?', range)
  const bytes = moved.reduce((sum, event) => sum + event.bytes, 0)
  const newest = Math.max(...moved.map(({ at }) => at))
  tx.run('INSERT INTO event_segments (last_seq, first_seq, created_at, bytes, name) VALUES (?, ?, ?, ?, ?)', [
    last.seq,
    first.seq,
    newest,
    bytes,
    name,
  ])
  tx.run('UPDATE event_state SET archived_bytes = archived_bytes + ? WHERE id = 1', [bytes])
  return true
}

/** Replaces the file of a segment by one with the events that are left. Returns false if the segment has been deleted meanwhile. */
export function replace(
  tx: Writer,
  segment: Segment,
  name: string,
  left: readonly { readonly frame: Uint8Array }[],
): boolean {
  const bytes = left.reduce((sum, { frame }) => sum + frame.length, 0)
  const changed = tx.run('UPDATE event_segments SET name = ?, bytes = ? WHERE last_seq = ? AND name = ?', [
    ...[name, bytes, segment.lastSeq, segment.name],
  ])
  if (changed > 0) subtract(tx, segment.bytes - bytes)
  return changed > 0
}

/** Deletes a segment. Returns false if its file has been replaced or it has been deleted meanwhile. */
export function remove(tx: Writer, { lastSeq, name, bytes }: Segment): boolean {
  const removed = tx.run('DELETE FROM event_segments WHERE last_seq = ? AND name = ?', [lastSeq, name])
  if (removed > 0) subtract(tx, bytes)
  return removed > 0
}

/** Deletes a segment, and counts its events as outdated. Returns as `remove`. */
export function removeAsOutdated(tx: Writer, segment: Segment): boolean {
  if (!remove(tx, segment)) return false
  tx.run('UPDATE event_state SET outdated_seq = max(outdated_seq, ?) WHERE id = 1', [segment.lastSeq])
  return true
}

/** Deletes all segments, and counts their events as outdated. */
export function removeAll(tx: Writer): void {
  for (const segment of all(tx)) removeAsOutdated(tx, segment)
}

/** Deletes the oldest segment if it is outdated. Returns it then. */
export function removeOutdated(tx: Writer, keep: Retention): Segment | undefined {
  const oldest = tx.get<Segment & { at: number }>(
    `SELECT ${columns}, created_at AS at FROM event_segments ORDER BY last_seq LIMIT 1`,
  )
  if (!oldest || (oldest.at >= keep.since && state(tx).bytes <= keep.bytes)) return undefined
  return removeAsOutdated(tx, oldest) ? oldest : undefined
}

function subtract(tx: Writer, bytes: number): void {
  tx.run('UPDATE event_state SET bytes = bytes - ?, archived_bytes = archived_bytes - ? WHERE id = 1', [
    bytes,
    bytes,
  ])
}
