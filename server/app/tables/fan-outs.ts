/** Table `fan_outs`: posts whose subscribers are still being notified. They are deleted with the post. */
import type { Reader, Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'
import { collectionId } from '../../store/tables/collections.ts'
import type { Source } from './notifications.ts'

export interface FanOut extends Source {
  readonly isReply: number
  /** Account id of the last subscriber that was notified. */
  readonly lastRecipient: number
}

const recordId = `(SELECT id FROM records WHERE actor = ${actorId} AND collection = ${collectionId} AND rkey = ?)`

/** Returns any unfinished fan-out. */
export function first(db: Reader): FanOut | undefined {
  return db.get<FanOut>(
    `SELECT a.did, c.nsid AS collection, r.rkey, f.is_reply AS isReply, f.last_recipient AS lastRecipient
     FROM fan_outs f CROSS JOIN records r ON r.id = f.record JOIN actors a ON a.id = r.actor JOIN collections c ON c.id = r.collection
     LIMIT 1`,
  )
}

export function put(tx: Writer, { did, collection, rkey, isReply, lastRecipient }: FanOut): void {
  tx.run(
    `INSERT INTO fan_outs (record, is_reply, last_recipient) VALUES (${recordId}, ?, ?)
     ON CONFLICT DO UPDATE SET last_recipient = excluded.last_recipient`,
    [did, collection, rkey, isReply, lastRecipient],
  )
}

export function remove(tx: Writer, { did, collection, rkey }: Source): void {
  tx.run(`DELETE FROM fan_outs WHERE record = ${recordId}`, [did, collection, rkey])
}
