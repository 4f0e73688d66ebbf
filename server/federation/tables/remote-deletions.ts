/** Table `remote_deletions`: deleted records of other servers, so that a slower source does not bring them back. */
import type { Reader, Writer } from '../../store/database.ts'
import type { NamedRecord } from './remote-interest.ts'

/** Deletions of one author that are kept. */
const maxPerAuthor = 200

/** Returns the revision of the commit that deleted a record; undefined if it is not known to be deleted. */
export function revOf(db: Reader, { did, collection, rkey }: NamedRecord): string | undefined {
  return db.get<{ rev: string }>(
    'SELECT rev FROM remote_deletions WHERE did = ? AND collection = ? AND rkey = ?',
    [did, collection, rkey],
  )?.rev
}

/** Inserts or updates a deletion. Deletes the author's oldest one beyond a limit. @param at milliseconds */
export function put(tx: Writer, { did, collection, rkey }: NamedRecord, rev: string, at: number): void {
  tx.run(
    `INSERT INTO remote_deletions (did, collection, rkey, rev, deleted_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET rev = excluded.rev, deleted_at = excluded.deleted_at`,
    [did, collection, rkey, rev, at],
  )
  tx.run(
    `DELETE FROM remote_deletions WHERE did = ?1 AND (collection, rkey) IN (
       SELECT collection, rkey FROM remote_deletions WHERE did = ?1
       ORDER BY deleted_at DESC, collection, rkey LIMIT 10 OFFSET ${maxPerAuthor})`,
    [did],
  )
}

/** Forgets the deletion of a record, which exists again. */
export function remove(tx: Writer, { did, collection, rkey }: NamedRecord): void {
  tx.run('DELETE FROM remote_deletions WHERE did = ? AND collection = ? AND rkey = ?', [
    did,
    collection,
    rkey,
  ])
}

/** Deletes some of the rows that are older than a time in milliseconds. Returns how many. */
export function removeBefore(tx: Writer, time: number, limit: number): number {
  return tx.run(
    `DELETE FROM remote_deletions WHERE (did, collection, rkey) IN (
       SELECT did, collection, rkey FROM remote_deletions WHERE deleted_at < ? ORDER BY did, collection, rkey LIMIT ?)`,
    [time, limit],
  )
}
