/** Table `activity_subscriptions`. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import { actorId } from '../../store/tables/actors.ts'
import { iso } from '../../util/time.ts'

export interface ActivitySubscription {
  readonly subject: DidString
  readonly post: number
  readonly reply: number
  readonly createdAt: string
}

type Row = Omit<ActivitySubscription, 'createdAt'> & { readonly createdAt: number }

const select = `
  SELECT a.did AS subject, s.post, s.reply, s.created_at AS createdAt
  FROM activity_subscriptions s JOIN actors a ON a.id = s.subject`

export function find(db: Reader, did: string, subject: string): ActivitySubscription | undefined {
  const row = db.get<Row>(`${select} WHERE s.subject = ${actorId} AND s.account = ${actorId}`, [subject, did])
  return row && toSubscription(row)
}

/** Returns the subscriptions of an account after `before`, newest first, then by descending subject. */
export function page(
  db: Reader,
  did: string,
  before: { createdAt: string; subject: string } | undefined,
  limit: number,
): ActivitySubscription[] {
  const createdAt = before === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(before.createdAt)
  return db
    .all<Row>(
      `${select} WHERE s.account = ${actorId} AND (s.created_at, a.did) < (?, ?)
       ORDER BY s.created_at DESC, a.did DESC LIMIT ?`,
      [did, createdAt, before?.subject ?? '', limit],
    )
    .map(toSubscription)
}

function toSubscription(row: Row): ActivitySubscription {
  return { ...row, createdAt: iso(new Date(row.createdAt)) }
}

/** Inserts or updates; an existing subscription keeps its creation time. */
export function put(
  tx: Writer,
  did: string,
  { subject, post, reply, createdAt }: Omit<ActivitySubscription, 'subject'> & { subject: string },
): void {
  tx.run(
    `INSERT INTO activity_subscriptions (account, subject, post, reply, created_at) VALUES (${actorId}, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET post = excluded.post, reply = excluded.reply`,
    [did, actors.ensure(tx, subject), post, reply, Date.parse(createdAt)],
  )
}

export function remove(tx: Writer, did: string, subject: string): void {
  tx.run(`DELETE FROM activity_subscriptions WHERE account = ${actorId} AND subject = ${actorId}`, [
    did,
    subject,
  ])
}

/** Returns the account id of the subscriber at `offset` among subscribers with an id greater than `after`. */
export function subscriberAfter(
  db: Reader,
  subject: string,
  after: number,
  offset: number,
): number | undefined {
  return db.get<{ account: number }>(
    `SELECT account FROM activity_subscriptions WHERE subject = ${actorId} AND account > ? ORDER BY account LIMIT 1 OFFSET ?`,
    [subject, after, offset],
  )?.account
}
