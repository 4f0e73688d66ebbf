/** Table `remote_repositories`, and the kept records of remote actors: the state of reading repositories of other servers. */
import type { NsidString, RecordKeyString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'

export interface ReadRepository {
  /** Revision of the commit that was read. */
  readonly rev: string
  /** Milliseconds since 1970. */
  readonly readAt: number
}

export function find(db: Reader, did: string): ReadRepository | undefined {
  return db.get('SELECT rev, read_at AS readAt FROM remote_repositories WHERE did = ?', [did])
}

export function put(tx: Writer, did: string, { rev, readAt }: ReadRepository): void {
  tx.run(
    `INSERT INTO remote_repositories (did, rev, read_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET rev = excluded.rev, read_at = excluded.read_at`,
    [did, rev, readAt],
  )
}

export function remove(tx: Writer, did: string): void {
  tx.run('DELETE FROM remote_repositories WHERE did = ?', [did])
}

/** Deletes the rows of repositories that were last read before a time. */
export function removeBefore(tx: Writer, readAt: number): void {
  tx.run('DELETE FROM remote_repositories WHERE read_at < ?', [readAt])
}

/** Deletes some rows. Returns how many. */
export function removeSome(tx: Writer, limit: number): number {
  return tx.run(
    'DELETE FROM remote_repositories WHERE did IN (SELECT did FROM remote_repositories ORDER BY did LIMIT ?)',
    [limit],
  )
}

export interface KeptRecord {
  readonly collection: NsidString
  /** Number of the collection. */
  readonly number: number
  readonly rkey: RecordKeyString
  readonly cid: Uint8Array
}

/** Some records of an actor, in an order that is fixed but arbitrary. @param after the last record of the previous page */
export function keptPage(
  db: Reader,
  did: string,
  after: KeptRecord | undefined,
  limit: number,
): KeptRecord[] {
  return db.all(
    `SELECT (SELECT nsid FROM collections WHERE id = r.collection) AS collection, r.collection AS number, r.rkey, r.cid
     FROM records r WHERE r.actor = ${actorId} AND (r.collection, r.rkey) > (?, ?)
     ORDER BY r.collection, r.rkey LIMIT ?`,
    [did, after?.number ?? 0, after?.rkey ?? '', limit],
  )
}

/** Whether an actor is deactivated, suspended or taken down. */
export function isInactive(db: Reader, did: string): boolean {
  return db.get<{ inactive: number }>('SELECT inactive FROM actors WHERE did = ?', [did])?.inactive === 1
}
