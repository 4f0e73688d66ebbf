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

/** Returns the subscriptions of an account after `before`, newest first, then by descending subject. */
export function page(
  db: Reader,
  did: string,
  before: { createdAt: string; subject: string } | undefined,
  limit: number,
): ActivitySubscription[] {
  // `~` sorts after every character of times and DIDs.
  const { createdAt, subject } = before ?? { createdAt: '~', subject: '~' }
  return db.all<ActivitySubscription>(
    `SELECT subject, post, reply, created_at AS createdAt FROM activity_subscriptions
     WHERE did = ? AND (created_at, subject) < (?, ?) ORDER BY created_at DESC, subject DESC LIMIT ?`,
    [did, createdAt, subject, limit],
  )
}

/** Inserts or updates; an existing subscription keeps its creation time. */
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

/** Returns the subscriber at `offset` among those whose DID sorts after `after`, in DID order. */
export function subscriberAfter(
  db: Reader,
  subject: string,
  after: string,
  offset: number,
): string | undefined {
  return db.get<{ did: string }>(
    'SELECT did FROM activity_subscriptions WHERE subject = ? AND did > ? ORDER BY did LIMIT 1 OFFSET ?',
    [subject, after, offset],
  )?.did
}

/** Deletes all subscriptions to an account. */
export function removeOfSubject(tx: Writer, did: string): void {
  tx.run('DELETE FROM activity_subscriptions WHERE subject = ?', [did])
}
