/** Table `follows`. Each change updates `followed` on existing notifications of the pair. */
import type { Reader, Writer } from '../database.ts'
import type { Source } from './notifications.ts'
import type { StoredRecord } from './records.ts'

/** Returns the oldest follow record of an account for another account. */
export function find(
  db: Reader,
  did: string,
  subject: string,
): Pick<StoredRecord, 'did' | 'collection' | 'rkey'> | undefined {
  return db.get(
    'SELECT did, collection, rkey FROM follows WHERE subject = ? AND did = ? ORDER BY rkey LIMIT 1',
    [subject, did],
  )
}

/** @param subject DID, also one of another server */
export function add(tx: Writer, { did, collection, rkey }: Source, subject: string): void {
  tx.run(`INSERT INTO follows (did, collection, rkey, subject) VALUES (?, ?, ?, ?)`, [
    did,
    collection,
    rkey,
    subject,
  ])
  updateFollowed(tx, did, subject)
}

/** Removes one follow record; the pair may have others. */
export function remove(tx: Writer, { did, collection, rkey }: Source): void {
  const key = [did, collection, rkey]
  const follow = tx.get<{ subject: string }>(
    'SELECT subject FROM follows WHERE did = ? AND collection = ? AND rkey = ?',
    key,
  )
  if (!follow) return
  tx.run('DELETE FROM follows WHERE did = ? AND collection = ? AND rkey = ?', key)
  updateFollowed(tx, did, follow.subject)
}

/** Removes the follows of a deleted account. */
export function removeOfSubject(tx: Writer, did: string): void {
  tx.run('DELETE FROM follows WHERE subject = ?', [did])
}

/** Updates `followed` on the notifications that account `did` has from author `subject`. */
function updateFollowed(tx: Writer, did: string, subject: string): void {
  tx.run(
    `UPDATE notifications AS n SET followed = f.followed
     FROM (SELECT EXISTS (SELECT 1 FROM follows WHERE did = ? AND subject = ?) AS followed) f
     WHERE n.author = (SELECT id FROM accounts WHERE did = ?) AND n.account = (SELECT id FROM accounts WHERE did = ?)
       AND n.followed <> f.followed`,
    [did, subject, subject, did],
  )
}
