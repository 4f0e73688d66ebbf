/** Tables `events` and `event_state`: the event stream of the repositories. */
import type { Reader, Writer } from '../../store/database.ts'
import { isRemoved } from './event-removals.ts'

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
}

/** A single event may be larger. */
const pageLimits = { events: 100, bytes: 1_000_000 }

export function state(db: Reader): EventState {
  const row = db.get<EventState>(
    'SELECT last_seq AS lastSeq, outdated_seq AS outdatedSeq, bytes FROM event_state WHERE id = 1',
  )
  return row ?? { lastSeq: 0, outdatedSeq: 0, bytes: 0 }
}

/** When an event was added; undefined if it is not kept. @returns milliseconds since 1970 */
export function timeOf(db: Reader, seq: number): number | undefined {
  return db.get<{ at: number }>('SELECT created_at AS at FROM events WHERE seq = ?', [seq])?.at
}

/**
 * Returns the number of the first kept event since a time, in milliseconds since 1970; of the next one if there is none. Later events
 * have later times, so few rows are read.
 */
export function firstSince(db: Reader, time: number): number {
  const end = state(db).lastSeq + 1
  const at = (seq: number) =>
    db.get<{ seq: number; at: number }>(
      'SELECT seq, created_at AS at FROM events WHERE seq >= ? ORDER BY seq LIMIT 1',
      [seq],
    )
  let [low, high] = [at(0)?.seq ?? end, end]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = at(middle)
    if (found && found.at < time) low = found.seq + 1
    else high = middle
  }
  return low
}

/** How many events are kept from a number on. Numbers may be left out. */
export function countFrom(db: Reader, seq: number): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM events WHERE seq >= ?', [seq])?.n ?? 0
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

/** Leaves out numbers, so that none before is ever assigned again. @param least the last one that is left out, at least */
export function skip(tx: Writer, count: number, least: number): void {
  tx.run('UPDATE event_state SET last_seq = max(last_seq + ?, ?) WHERE id = 1', [count, least])
}

export interface Page {
  readonly events: readonly StoredEvent[]
  /** Number of the last event of the page, which may be of a deleted account and left out. */
  readonly last: number
  /** Whether there were none after these. */
  readonly isLast: boolean
}

/** Returns the first events after `after`, which takes a few milliseconds. */
export function page(db: Reader, after: number): Page {
  const { last, isLast } = pageEnd(db, after)
  if (last === after) return { events: [], last, isLast }
  const events = db.all<StoredEvent>(
    `SELECT seq, kind, frame FROM events e WHERE seq > ? AND seq <= ? AND NOT ${isRemoved} ORDER BY seq`,
    [after, last],
  )
  return { events, last, isLast }
}

/** Returns the number of the last event of a page. */
function pageEnd(db: Reader, after: number): { last: number; isLast: boolean } {
  const sizes = db.all<{ seq: number; bytes: number }>(
    'SELECT seq, length(frame) AS bytes FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
    [after, pageLimits.events],
  )
  let last = after
  let bytes = 0
  for (const event of sizes) {
    bytes += event.bytes
    if (last > after && bytes > pageLimits.bytes) break
    last = event.seq
  }
  return { last, isLast: sizes.length < pageLimits.events && last === (sizes.at(-1)?.seq ?? after) }
}

/**
 * Deletes the events of deleted accounts among some of the table.
 * @returns the number of the last one that was examined; undefined after all
 */
export function removeOfDeleted(tx: Writer, after: number, limit: number): number | undefined {
  const range = tx.get<{ last: number | null }>(
    'SELECT max(seq) AS last FROM (SELECT seq FROM events WHERE seq > ? ORDER BY seq LIMIT ?)',
    [after, limit],
  )
  const last = range?.last ?? undefined
  if (last === undefined) return undefined
  const removed = tx.all<{ bytes: number }>(
    `DELETE FROM events AS e WHERE seq > ? AND seq <= ? AND ${isRemoved} RETURNING length(frame) AS bytes`,
    [after, last],
  )
  const bytes = removed.reduce((sum, event) => sum + event.bytes, 0)
  if (bytes > 0) tx.run('UPDATE event_state SET bytes = bytes - ? WHERE id = 1', [bytes])
  return last
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
