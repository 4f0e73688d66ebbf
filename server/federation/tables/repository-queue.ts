/** Table `repository_queue`: repositories of other servers that are to be read. All times are milliseconds since 1970. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'

export interface QueuedRepository {
  readonly did: DidString
  /** Origin of the upstream that reported it. */
  readonly upstream: string | null
  /** It is read only if it has changed since; null: in any case. */
  readonly changedSince: number | null
  /** Older records create no notifications. */
  readonly notifySince: number
  readonly dueAt: number
  /** Consecutive failures to read it. */
  readonly failures: number
  /** Grows when it is queued again. */
  readonly version: number
}

const columns = `did, upstream, changed_since AS changedSince, notify_since AS notifySince, due_at AS dueAt, failures, version`

/** Adds a repository. One that is queued already is read for both reasons. */
export function add(tx: Writer, row: Omit<QueuedRepository, 'failures' | 'version'>): void {
  tx.run(
    `INSERT INTO repository_queue (did, upstream, changed_since, notify_since, due_at) VALUES (?, (SELECT url FROM upstreams WHERE url = ?), ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       upstream = coalesce(excluded.upstream, upstream),
       changed_since = min(changed_since, excluded.changed_since),
       notify_since = min(notify_since, excluded.notify_since),
       version = version + 1`,
    [row.did, row.upstream, row.changedSince, row.notifySince, row.dueAt],
  )
}

export function find(db: Reader, did: string): QueuedRepository | undefined {
  return db.get(`SELECT ${columns} FROM repository_queue WHERE did = ?`, [did])
}

export interface DueRepository extends QueuedRepository {
  /** Origin of its host, as far as it is known; else that of the upstream, or empty. */
  readonly host: string
}

/** The repositories that are due, the earliest first. @param busy hosts whose repositories are left out */
export function due(db: Reader, now: number, limit: number, busy: readonly string[]): DueRepository[] {
  return db.all(
    `SELECT * FROM (
       SELECT ${columns}, coalesce(
         (SELECT r.host FROM actors a JOIN remote_actors r ON r.id = a.id WHERE a.did = repository_queue.did),
         upstream, '') AS host
       FROM repository_queue WHERE due_at <= ?)
     WHERE host NOT IN (SELECT value FROM json_each(?)) ORDER BY dueAt LIMIT ?`,
    [now, JSON.stringify(busy), limit],
  )
}

/** Removes a repository; one that was queued again since the row was read stays. @param dueAt when it is read again, at the earliest */
export function remove(tx: Writer, { did, version }: QueuedRepository, dueAt: number): void {
  tx.run('DELETE FROM repository_queue WHERE did = ? AND version = ?', [did, version])
  tx.run('UPDATE repository_queue SET due_at = max(due_at, ?), failures = 0 WHERE did = ?', [dueAt, did])
}

/** Counts a failure. */
export function postpone(tx: Writer, did: string, dueAt: number): void {
  tx.run('UPDATE repository_queue SET failures = failures + 1, due_at = ? WHERE did = ?', [dueAt, did])
}

export function countOf(db: Reader, upstream: string): number {
  const row = db.get<{ count: number }>('SELECT count(*) AS count FROM repository_queue WHERE upstream = ?', [
    upstream,
  ])
  return row?.count ?? 0
}

/** Counts the repositories that no upstream has reported. */
export function countWithoutUpstream(db: Reader): number {
  return (
    db.get<{ count: number }>('SELECT count(*) AS count FROM repository_queue WHERE upstream IS NULL')
      ?.count ?? 0
  )
}
