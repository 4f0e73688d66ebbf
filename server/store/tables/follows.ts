/** Follows, in table `links`. */
import type { Reader, Writer } from '../database.ts'
import { actorId } from './actors.ts'
import type { StoredRecord } from './records.ts'

/** Returns the oldest follow record of an account for another account. */
export function find(
  db: Reader,
  did: string,
  subject: string,
): Pick<StoredRecord, 'did' | 'collection' | 'rkey'> | undefined {
  return db.get(
    `SELECT a.did, c.nsid AS collection, r.rkey
     FROM links l JOIN records r ON r.id = l.record JOIN actors a ON a.id = r.actor JOIN collections c ON c.id = r.collection
     WHERE l.subject = ${actorId} AND l.path = 9 AND l.actor = ${actorId} ORDER BY r.rkey LIMIT 1`,
    [subject, did],
  )
}

/** Updates `followed` on the notifications that account `did` has from author `subject`. */
export function updateFollowed(tx: Writer, did: string, subject: string): void {
  tx.run(
    `UPDATE notifications AS n SET followed = 1 - followed
     WHERE n.author = ${actorId} AND n.account = ${actorId}
       AND n.followed <> EXISTS (SELECT 1 FROM links WHERE subject = n.author AND path = 9 AND actor = n.account)`,
    [subject, did],
  )
}
