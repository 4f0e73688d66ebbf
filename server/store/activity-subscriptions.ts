/** Table `activity_subscriptions`. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from './database.ts'

export interface ActivitySubscription {
  readonly subject: DidString
  readonly post: number
  readonly reply: number
  readonly createdAt: string
}

export function find(db: Reader, did: string, subject: string): ActivitySubscription | undefined {
  return db.get(
    `SELECT subject, post, reply, created_at AS createdAt FROM activity_subscriptions WHERE subject = ? AND did = ?`,
    [subject, did],
  )
}

/** The newest first, from the one after `before` on; of the same moment, by descending subject. */
export function page(
  db: Reader,
  did: string,
  before: { createdAt: string; subject: string } | undefined,
  limit: number,
): ActivitySubscription[] {
  // No time and no DID has a character beyond `~`.
  const { createdAt, subject } = before ?? { createdAt: '~', subject: '~' }
  return db.all<ActivitySubscription>(
    `SELECT subject, post, reply, created_at AS createdAt FROM activity_subscriptions
     WHERE did = ? AND (created_at, subject) < (?, ?) ORDER BY created_at DESC, subject DESC LIMIT ?`,
    [did, createdAt, subject, limit],
  )
}

/** One that exists keeps its place in the list. */
export function put(
  tx: Writer,
  did: string,
  { subject, post, reply, createdAt }: Omit<ActivitySubscription, 'subject'> & { subject: string },
): void {
  tx.run(
    `INSERT INTO activity_subscriptions (did, subject, post, reply, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET post = excluded.post, reply = excluded.reply`,
    [did, subject, post, reply, createdAt],
  )
}

export function remove(tx: Writer, did: string, subject: string): void {
  tx.run('DELETE FROM activity_subscriptions WHERE did = ? AND subject = ?', [did, subject])
}

/** The next subscribers after the one of DID `after`: how many there are, up to `limit`, and the DID of the last. */
export function nextSubscribers(
  db: Reader,
  subject: string,
  after: string,
  limit: number,
): { last: string | null; count: number } {
  const row = db.get<{ last: string | null; count: number }>(
    `SELECT max(did) AS last, count(*) AS count
     FROM (SELECT did FROM activity_subscriptions WHERE subject = ? AND did > ? ORDER BY did LIMIT ?)`,
    [subject, after, limit],
  )
  return row ?? { last: null, count: 0 }
}

/** Ends every subscription to an account. */
export function removeOfSubject(tx: Writer, did: string): void {
  tx.run('DELETE FROM activity_subscriptions WHERE subject = ?', [did])
}
