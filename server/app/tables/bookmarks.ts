/** Table `bookmarks`: the posts that accounts saved, here or elsewhere. Private. */

import type { PageOf } from '../../federation/tables/graph.ts'
import type { RecordName } from '../../repository/tables/records.ts'
import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface Bookmark extends RecordName {
  /** Grows with the time of the bookmark. */
  readonly id: number
  readonly cid: string
  readonly createdAt: DatetimeString
}

/** A post by its author and key. */
export type PostKey = Pick<Bookmark, 'did' | 'rkey'>

/** Adds a bookmark; does nothing if the post has one. @param account actor id */
export function add(tx: Writer, account: number, bookmark: Omit<Bookmark, 'id'>): void {
  const { did, collection, rkey, cid, createdAt } = bookmark
  tx.run(
    `INSERT INTO bookmarks (account, did, collection, rkey, cid, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    [account, did, collection, rkey, cid, createdAt],
  )
}

export function remove(tx: Writer, account: number, { did, rkey }: PostKey): void {
  tx.run('DELETE FROM bookmarks WHERE account = ? AND did = ? AND rkey = ?', [account, did, rkey])
}

/** The bookmarks of an account, newest first. */
export function page(db: Reader, account: number, { before, limit }: PageOf): Bookmark[] {
  return db.all<Bookmark>(
    `SELECT id, did, collection, rkey, cid, created_at AS createdAt FROM bookmarks
     WHERE account = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    [account, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
}

/** Returns the given posts that an account has bookmarked. @param records ids of posts */
export function bookmarked(db: Reader, account: number, records: readonly number[]): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT r.id FROM json_each(?) wanted CROSS JOIN records r ON r.id = wanted.value
     CROSS JOIN actors a ON a.id = r.actor CROSS JOIN bookmarks b ON b.account = ? AND b.did = a.did AND b.rkey = r.rkey`,
    [JSON.stringify(records), account],
  )
  return rows.map(({ id }) => id)
}
