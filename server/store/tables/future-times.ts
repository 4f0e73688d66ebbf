/**
 * Corrects times in the future, which were written while the clock was ahead: jobs would wait for them for years, and rows would
 * remain the newest for years. Each is set to the latest value that a row of now could have.
 */
import { dayOf, iso } from '../../util/time.ts'
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
  /** SQL condition of the rows. */
  readonly where?: string
}

/** Sessions of apps live longer, and remember replaced refresh tokens for longer. */
const ofApps = '(SELECT session_id FROM oauth_grants)'

/** Columns with the time of an event, which are set to the present. */
function written(table: string, ...columns: readonly string[]): FutureTime[] {
  return columns.map((column) => ({ table, column }))
}

/** Columns with ISO 8601 text. */
const texts: readonly FutureTime[] = [
  ...written(
    'accounts',
    'created_at',
    'email_confirmed_at',
    'deactivated_at',
    'taken_down_at',
    'suspended_at',
  ),
  ...written('accounts', 'plc_submitted_at'),
  { table: 'accounts', column: 'activate_by', leadMs: 3 * day },
  ...written('plc_operations', 'created_at'),
  ...written('reserved_keys', 'reserved_at'),
  { table: 'reserved_keys', column: 'expires_at', leadMs: 7 * day },
  ...written('invite_codes', 'created_at'),
  { table: 'invite_codes', column: 'expires_at', leadMs: 365 * day },
  ...written('invite_code_uses', 'used_at'),
  ...written('sessions', 'created_at', 'last_used_at', 'old_token_used_at'),
  { table: 'sessions', column: 'expires_at', leadMs: 90 * day, where: `id NOT IN ${ofApps}` },
  { table: 'sessions', column: 'expires_at', leadMs: 180 * day, where: `id IN ${ofApps}` },
  { table: 'refresh_tokens', column: 'grace_until', leadMs: 2 * hour, where: `session_id NOT IN ${ofApps}` },
  { table: 'refresh_tokens', column: 'grace_until', leadMs: 14 * day, where: `session_id IN ${ofApps}` },
  ...written('refresh_tokens', 'replaced_at'),
  ...written('oauth_clients', 'read_at'),
  ...written('app_passwords', 'created_at', 'last_used_at'),
  ...written('second_factors', 'created_at', 'last_used_at', 'wrong_code_at'),
  ...written('security_changes', 'changed_at'),
  { table: 'oauth_requests', column: 'expires_at', leadMs: hour },
  ...written('oauth_requests', 'created_at', 'waiting_at', 'denied_at'),
  { table: 'oauth_assertions', column: 'expires_at', leadMs: hour },
  { table: 'mail_tokens', column: 'expires_at', leadMs: hour / 4 },
  ...written('reports', 'created_at', 'closed_at'),
  ...written('bookmarks', 'created_at'),
  ...written('drafts', 'created_at', 'updated_at'),
  ...written('push_registrations', 'created_at'),
  ...written('push_queue', 'due_at'),
]

/** Columns with milliseconds since 1970. */
const numbers: readonly FutureTime[] = [
  { table: 'blobs', column: 'expires_at', leadMs: day },
  ...written('damaged_blobs', 'found_at'),
  ...written('mutes', 'created_at'),
  ...written('muted_lists', 'created_at'),
  ...written('activity_subscriptions', 'created_at'),
  ...written('events', 'created_at'),
  ...written('moves', 'started_at', 'updated_at', 'ended_at'),
  ...written('upstreams', 'last_event_at', 'added_at'),
  ...written('upstream_queue', 'received_at'),
  ...written('catch_ups', 'since'),
  ...written('repository_queue', 'due_at', 'changed_since', 'notify_since'),
  ...written('wanted_records', 'due_at'),
  { table: 'record_checks', column: 'checked_at', leadMs: -day },
  ...written('remote_repositories', 'read_at'),
  ...written('remote_deletions', 'deleted_at'),
  ...written('remote_feed_items', 'sort_at'),
  { table: 'remote_actors', column: 'resolved_at', isDeleted: true },
  { table: 'remote_actors', column: 'tried_at', isDeleted: true },
  { table: 'remote_actors', column: 'profile_at', isDeleted: true },
]

/** The corrected columns, as `table.column`. */
export const correctedColumns = [...texts, ...numbers].map(({ table, column }) => `${table}.${column}`)

/** Each corrects one column. */
export const corrections: readonly ((tx: Writer, now: number) => void)[] = [
  ...texts.map((time) => correction(time, (at) => iso(new Date(at)))),
  ...numbers.map((time) => correction(time, (at) => at)),
  correctPeriods,
  correctDays,
]

function correction(
  { table, column, leadMs = 0, isDeleted, where = 'true' }: FutureTime,
  format: (at: number) => string | number,
) {
  return (tx: Writer, now: number) => {
    const by = isDeleted ? 'NULL' : '?1'
    tx.run(`UPDATE ${table} SET ${column} = ${by} WHERE ${column} > ?1 AND ${where}`, [format(now + leadMs)])
  }
}

/** A used code of an authenticator app: later ones would be refused until its period. */
function correctPeriods(tx: Writer, now: number): void {
  const period = Math.floor(now / 30_000)
  tx.run("UPDATE second_factors SET counter = ?1 WHERE kind = 'totp' AND counter > ?1", [period])
}

/** Counts of uses on days that have not come are added to those of today; measurements of such days are deleted. */
function correctDays(tx: Writer, now: number): void {
  const today = dayOf(new Date(now))
  tx.run(
    `INSERT INTO session_uses (did, access, day, reads, writes, refusals)
     SELECT did, access, ?1, sum(reads), sum(writes), sum(refusals) FROM session_uses
       WHERE day > ?1 GROUP BY did, access
     ON CONFLICT (did, access, day) DO UPDATE SET reads = reads + excluded.reads,
       writes = writes + excluded.writes, refusals = refusals + excluded.refusals`,
    [today],
  )
  for (const table of ['session_uses', 'storage_days', 'account_storage_days'])
    tx.run(`DELETE FROM ${table} WHERE day > ?`, [today])
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
