/** Table `activity_subscriptions`. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../database.ts'

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

/** DID of a subscriber, in the order of DIDs: so many further than the first one after `after`. */
export function subscriberAfter(
  db: Reader,
  subject: string,
  after: string,
  further: number,
): string | undefined {
  return db.get<{ did: string }>(
    'SELECT did FROM activity_subscriptions WHERE subject = ? AND did > ? ORDER BY did LIMIT 1 OFFSET ?',
    [subject, after, further],
  )?.did
}

/** Ends every subscription to an account. */
export function removeOfSubject(tx: Writer, did: string): void {
  tx.run('DELETE FROM activity_subscriptions WHERE subject = ?', [did])
}
