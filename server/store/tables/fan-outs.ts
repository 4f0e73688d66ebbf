/** Table `fan_outs`: posts whose subscribers are still being notified. */
import type { Reader, Writer } from '../database.ts'
import type { Source } from './notifications.ts'

export interface FanOut extends Source {
  readonly isReply: number
  /** DID of the last subscriber that was notified. */
  readonly lastRecipient: string
}

/** Returns any unfinished fan-out. */
export function first(db: Reader): FanOut | undefined {
  return db.get<FanOut>(
    'SELECT did, collection, rkey, is_reply AS isReply, last_recipient AS lastRecipient FROM fan_outs LIMIT 1',
  )
}

export function put(tx: Writer, { did, collection, rkey, isReply, lastRecipient }: FanOut): void {
  tx.run(
    `INSERT INTO fan_outs (did, collection, rkey, is_reply, last_recipient) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET last_recipient = excluded.last_recipient`,
    [did, collection, rkey, isReply, lastRecipient],
  )
}

export function remove(tx: Writer, { did, collection, rkey }: Source): void {
  tx.run('DELETE FROM fan_outs WHERE did = ? AND collection = ? AND rkey = ?', [did, collection, rkey])
}
