/** Table `catch_ups`: upstreams whose events were missed, until their repositories are read. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import { watchedSql } from './remote-interest.ts'

export interface CatchUp {
  /** Origin. */
  readonly upstream: string
  /** When the last event before the gap came, in milliseconds since 1970; null: none yet. */
  readonly since: number | null
  /** Repositories to read; null: they are not listed yet. */
  readonly total: number | null
}

const columns = 'upstream, since, total'

/** Begins a catch-up, unless the upstream was removed. One that has begun already begins anew, with the earlier time. */
export function begin(tx: Writer, { upstream, since }: Pick<CatchUp, 'upstream' | 'since'>): void {
  tx.run(
    `INSERT INTO catch_ups (upstream, since) SELECT url, ? FROM upstreams WHERE url = ?
     ON CONFLICT DO UPDATE SET since = min(since, excluded.since), total = NULL`,
    [since, upstream],
  )
}

export function find(db: Reader, upstream: string): CatchUp | undefined {
  return db.get(`SELECT ${columns} FROM catch_ups WHERE upstream = ?`, [upstream])
}

export function unlisted(db: Reader): CatchUp[] {
  return db.all(`SELECT ${columns} FROM catch_ups WHERE total IS NULL`)
}

export function setTotal(tx: Writer, upstream: string, total: number): void {
  tx.run('UPDATE catch_ups SET total = ? WHERE upstream = ?', [total, upstream])
}

/** Removes the catch-ups whose repositories are all read. */
export function removeDone(tx: Writer): void {
  tx.run(
    `DELETE FROM catch_ups WHERE total IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM repository_queue q WHERE q.upstream = catch_ups.upstream)`,
  )
}

export interface ActorElsewhere {
  readonly id: number
  readonly did: DidString
  /** Whether an account here follows it or is subscribed to its posts. */
  readonly isWatched: number
  /** Whether a record of it is stored. */
  readonly isStored: number
}

/** Actors without account, by ascending id after `after`. */
export function actorsElsewhere(db: Reader, after: number, limit: number): ActorElsewhere[] {
  return db.all(
    `SELECT a.id, a.did, ${watchedSql('a.id')} AS isWatched,
       EXISTS (SELECT 1 FROM records r WHERE r.actor = a.id) AS isStored
     FROM actors a WHERE a.id > ? AND NOT EXISTS (SELECT 1 FROM accounts c WHERE c.id = a.id) ORDER BY a.id LIMIT ?`,
    [after, limit],
  )
}

/** Actors whose personal data server is at an origin. */
export function actorsAt(db: Reader, host: string): DidString[] {
  const rows = db.all<{ did: DidString }>(
    'SELECT a.did FROM remote_actors r JOIN actors a ON a.id = r.id WHERE r.host = ?',
    [host],
  )
  return rows.map(({ did }) => did)
}
