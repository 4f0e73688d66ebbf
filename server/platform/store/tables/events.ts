/** Tables `events` and `event_state`: the event stream of the repositories. */
import type { Reader, Writer } from '../database.ts'

export type EventKind = 'commit' | 'sync' | 'identity' | 'account'

export interface StoredEvent {
  readonly seq: number
  readonly kind: EventKind
  /** A whole message of the stream. */
  readonly frame: Uint8Array
}

export interface EventState {
  /** Number of the last event, which may have been deleted; 0 if there was none. */
  readonly lastSeq: number
  /** Number of the last event that retention deleted; 0 if there was none. */
  readonly outdatedSeq: number
  /** Bytes of all frames. */
  readonly bytes: number
  /** Bytes of the frames that are in files instead of the table. */
  readonly archivedBytes: number
}

/** A single event may be larger. */
interface PageLimits {
  readonly events: number
  readonly bytes: number
}

const pageLimits: PageLimits = { events: 100, bytes: 1_000_000 }

export function state(db: Reader): EventState {
  const row = db.get<EventState>(
    `SELECT last_seq AS lastSeq, outdated_seq AS outdatedSeq, bytes, archived_bytes AS archivedBytes
     FROM event_state WHERE id = 1`,
  )
  return row ?? { lastSeq: 0, outdatedSeq: 0, bytes: 0, archivedBytes: 0 }
}

/** Adds an event. @param encode returns its frame */
export function append(
  tx: Writer,
  { kind, did, at }: { readonly kind: EventKind; readonly did: string; readonly at: Date },
  encode: (seq: number) => Uint8Array,
): void {
  const seq = state(tx).lastSeq + 1
  const frame = encode(seq)
  tx.run('INSERT INTO events (seq, kind, did, created_at, frame) VALUES (?, ?, ?, ?, ?)', [
    seq,
    kind,
    did,
    at.getTime(),
    frame,
  ])
  tx.run('UPDATE event_state SET last_seq = ?, bytes = bytes + ? WHERE id = 1', [seq, frame.length])
}

/** Leaves out numbers, so that none before is ever assigned again. */
export function skip(tx: Writer, count: number): void {
  tx.run('UPDATE event_state SET last_seq = last_seq + ? WHERE id = 1', [count])
}

export interface Page {
  readonly events: readonly StoredEvent[]
  /** Whether there were none after these. */
  readonly isLast: boolean
}

/** Returns the first events of the table after `after`. */
export function page(db: Reader, after: number): Page {
  const { last, isLast } = pageEnd(db, after, pageLimits)
  if (last === after) return { events: [], isLast }
  const events = db.all<StoredEvent>(
    'SELECT seq, kind, frame FROM events WHERE seq > ? AND seq <= ? ORDER BY seq',
    [after, last],
  )
  return { events, isLast }
}

/** Returns the number of the last event of a page. */
function pageEnd(db: Reader, after: number, limits: PageLimits): { last: number; isLast: boolean } {
  const sizes = db.all<{ seq: number; bytes: number }>(
    'SELECT seq, length(frame) AS bytes FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
    [after, limits.events],
  )
  let last = after
  let bytes = 0
  for (const event of sizes) {
    bytes += event.bytes
    if (last > after && bytes > limits.bytes) break
    last = event.seq
  }
  return { last, isLast: sizes.length < limits.events && last === (sizes.at(-1)?.seq ?? after) }
}

/** A row of the table. */
export interface EventRow extends StoredEvent {
  readonly did: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** A row of the table without its frame. */
export interface EventSize {
  readonly seq: number
  /** In milliseconds since 1970. */
  readonly at: number
  /** Bytes of its frame. */
  readonly bytes: number
}

/** Returns the number of the last one of the oldest events of the table; 0 if there are none. */
export function endOfOldest(db: Reader, limits: PageLimits): number {
  return pageEnd(db, 0, limits).last
}

/** Returns the first rows after `after` and up to `last`. */
export function rows(db: Reader, after: number, last: number, limit: number): EventRow[] {
  return db.all<EventRow>(
    `SELECT seq, kind, did, created_at AS at, frame FROM events
     WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
    [after, last, limit],
  )
}

/** Deletes the events of an account from the table. For events in files, see `event-removals.ts`. */
export function removeOfAccount(tx: Writer, did: string): void {
  const removed = tx.all<{ bytes: number }>(
    'DELETE FROM events WHERE did = ? RETURNING length(frame) AS bytes',
    [did],
  )
  subtract(tx, removed)
}

/** The limits of kept events. */
export interface Retention {
  /** In milliseconds since 1970: earlier events are outdated. */
  readonly since: number
  /** With more bytes of frames, the first events are outdated. */
  readonly bytes: number
}

/** Deletes outdated events of the table, at most `limit`. Returns how many it has deleted. */
export function removeOutdated(tx: Writer, keep: Retention, limit: number): number {
  const excess = state(tx).bytes - keep.bytes
  const first = tx.all<{ seq: number; at: number; bytes: number }>(
    'SELECT seq, created_at AS at, length(frame) AS bytes FROM events ORDER BY seq LIMIT ?',
    [limit],
  )
  let bytes = 0
  let last: number | undefined
  for (const event of first) {
    if (event.at >= keep.since && bytes >= excess) break
    bytes += event.bytes
    last = event.seq
  }
  if (last === undefined) return 0
  const removed = tx.run('DELETE FROM events WHERE seq <= ?', [last])
  tx.run('UPDATE event_state SET bytes = bytes - ?, outdated_seq = ? WHERE id = 1', [bytes, last])
  return removed
}

function subtract(tx: Writer, removed: readonly { readonly bytes: number }[]): void {
  const bytes = removed.reduce((sum, event) => sum + event.bytes, 0)
  tx.run('UPDATE event_state SET bytes = bytes - ? WHERE id = 1', [bytes])
}
