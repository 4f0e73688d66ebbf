/**
 * Times in the future, which were written while the clock was ahead: whatever waits for them would wait for years. Each is set to
 * the latest value that it could have if it were written now.
 */
import { iso } from '../../util/time.ts'
import type { Writer } from '../database.ts'

const hour = 60 * 60_000
const day = 24 * hour

interface FutureTime {
  readonly table: string
  readonly column: string
  /** Milliseconds from the write to the time; 0 by default. */
  readonly leadMs?: number
  /** Whether the time is deleted; otherwise the latest valid one replaces it. */
  readonly isDeleted?: true
}

/** Columns with ISO 8601 text. */
const texts: readonly FutureTime[] = [
  { table: 'sessions', column: 'created_at' },
  { table: 'sessions', column: 'last_used_at' },
  { table: 'sessions', column: 'expires_at', leadMs: 90 * day },
  { table: 'sessions', column: 'old_token_used_at' },
  { table: 'refresh_tokens', column: 'grace_until', leadMs: 2 * hour },
  { table: 'refresh_tokens', column: 'replaced_at' },
  { table: 'oauth_clients', column: 'read_at' },
  { table: 'app_passwords', column: 'created_at' },
  { table: 'app_passwords', column: 'last_used_at' },
  { table: 'mail_tokens', column: 'expires_at', leadMs: hour / 4 },
  { table: 'reserved_keys', column: 'reserved_at' },
  { table: 'push_queue', column: 'due_at' },
]

/** Columns with milliseconds since 1970. */
const numbers: readonly FutureTime[] = [
  { table: 'blobs', column: 'expires_at', leadMs: day },
  { table: 'events', column: 'created_at' },
  { table: 'upstreams', column: 'last_event_at' },
  { table: 'upstream_queue', column: 'received_at' },
  { table: 'catch_ups', column: 'since' },
  { table: 'repository_queue', column: 'due_at' },
  { table: 'repository_queue', column: 'changed_since' },
  { table: 'repository_queue', column: 'notify_since' },
  { table: 'wanted_records', column: 'due_at' },
  { table: 'record_checks', column: 'checked_at', leadMs: -day },
  { table: 'remote_repositories', column: 'read_at' },
  { table: 'remote_deletions', column: 'deleted_at' },
  { table: 'remote_feed_items', column: 'sort_at' },
  { table: 'remote_actors', column: 'resolved_at', isDeleted: true },
  { table: 'remote_actors', column: 'tried_at', isDeleted: true },
  { table: 'remote_actors', column: 'profile_at', isDeleted: true },
]

/** Each corrects one column. */
export const corrections: readonly ((tx: Writer, now: number) => void)[] = [
  ...texts.map((time) => correction(time, (at) => iso(new Date(at)))),
  ...numbers.map((time) => correction(time, (at) => at)),
]

function correction(
  { table, column, leadMs = 0, isDeleted }: FutureTime,
  format: (at: number) => string | number,
) {
  return (tx: Writer, now: number) => {
    const by = isDeleted ? 'NULL' : '?1'
    tx.run(`UPDATE ${table} SET ${column} = ${by} WHERE ${column} > ?1`, [format(now + leadMs)])
  }
}

/** The newest row of a record. */
export function lastRecord(tx: Writer): number {
  return tx.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM records')?.id ?? 0
}

/** Corrects times of writing and sort keys of feeds, in a range of ids. Returns their number. */
export function correctRecords(tx: Writer, range: { after: number; upTo: number }, now: number): number {
  const { after, upTo } = range
  tx.run('UPDATE posts SET sort_at = ?1 WHERE record > ?2 AND record <= ?3 AND sort_at > ?1', [
    now,
    after,
    upTo,
  ])
  return tx.run('UPDATE records SET indexed_at = ?1 WHERE id > ?2 AND id <= ?3 AND indexed_at > ?1', [
    now,
    after,
    upTo,
  ])
}
