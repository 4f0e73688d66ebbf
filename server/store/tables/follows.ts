/** Table `follows`: who follows whom. What an account has been told by the other is sorted anew as it changes. */
import type { Reader, Writer } from '../database.ts'
import type { Source } from './notifications.ts'
import type { StoredRecord } from './records.ts'

/** The oldest of the records by which an account follows another. */
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

/** @param subject DID, also of another server */
export function add(tx: Writer, { did, collection, rkey }: Source, subject: string): void {
  tx.run(`INSERT INTO follows (did, collection, rkey, subject) VALUES (?, ?, ?, ?)`, [
    did,
    collection,
    rkey,
    subject,
  ])
  sort(tx, did, subject)
}

/** An account may follow another by several records. */
export function remove(tx: Writer, { did, collection, rkey }: Source): void {
  const key = [did, collection, rkey]
  const follow = tx.get<{ subject: string }>(
    'SELECT subject FROM follows WHERE did = ? AND collection = ? AND rkey = ?',
    key,
  )
  if (!follow) return
  tx.run('DELETE FROM follows WHERE did = ? AND collection = ? AND rkey = ?', key)
  sort(tx, did, follow.subject)
}

/** Forgets that an account which is deleted was followed. */
export function removeOfSubject(tx: Writer, did: string): void {
  tx.run('DELETE FROM follows WHERE subject = ?', [did])
}

function sort(tx: Writer, did: string, subject: string): void {
  tx.run(
    `UPDATE notifications AS n SET followed = f.followed
     FROM (SELECT EXISTS (SELECT 1 FROM follows WHERE did = ? AND subject = ?) AS followed) f
     WHERE n.author = (SELECT id FROM accounts WHERE did = ?) AND n.account = (SELECT id FROM accounts WHERE did = ?)
       AND n.followed <> f.followed`,
    [did, subject, subject, did],
  )
}
