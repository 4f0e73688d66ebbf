/**
 * Tables `notifications`, `notification_kinds`, `notification_clock` and `seen_markers`.
 *
 * A kind is a reason plus whether the account follows the author. A reader's filter is a set of kinds. An index orders the
 * notifications of each kind, and triggers count its unread ones, so neither a page nor the count reads notifications
 * outside the filter.
 */
import type { AtUriString, DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import type { Reason } from '../../notifications/reasons.ts'
import type { DatetimeString } from '../../util/time.ts'
import type { Reader, Writer } from '../database.ts'

/** The filter: reasons to include from followed authors, and from all others. */
export interface Wanted {
  readonly followed: readonly Reason[]
  readonly others: readonly Reason[]
}

export interface Notification {
  readonly id: number
  readonly author: DidString
  readonly reason: Reason
  readonly reasonSubject: AtUriString | null
  readonly indexedAt: DatetimeString
  readonly collection: NsidString
  readonly rkey: RecordKeyString
  readonly cid: string
  /** The record as DAG-CBOR. */
  readonly bytes: Uint8Array
}

const inKind = 'n.account = k.account AND n.hidden = 0 AND n.reason = k.reason AND n.followed = k.followed'

const wantedKinds = `
  k.account = (SELECT id FROM accounts WHERE did = ?)
  AND k.reason IN (SELECT value FROM json_each(CASE k.followed WHEN 1 THEN ? ELSE ? END))`

function wantedParams(did: string, { followed, others }: Wanted): string[] {
  return [did, JSON.stringify(followed), JSON.stringify(others)]
}

/** Returns notifications, newest first; with `before`, only earlier ones. */
export function page(
  db: Reader,
  // `~` sorts after every character of times.
  {
    did,
    wanted,
    before = '~',
    limit,
  }: { did: string; wanted: Wanted; before?: string | undefined; limit: number },
): Notification[] {
  return select(
    db,
    `SELECT n.id FROM notification_kinds k CROSS JOIN notifications n
     WHERE ${wantedKinds} AND n.id IN (
       SELECT n.id FROM notifications n WHERE ${inKind} AND n.indexed_at < ? ORDER BY n.indexed_at DESC LIMIT ?)
     ORDER BY n.indexed_at DESC LIMIT ?`,
    [...wantedParams(did, wanted), before, limit, limit],
  )
}

/** Returns the notifications of one transaction that the account's filter includes, newest first. */
export function arrived(db: Reader, { did, wanted, arrivals }: Arrived): Notification[] {
  return select(
    db,
    `SELECT n.id FROM notifications n JOIN notification_kinds k ON ${inKind}
     WHERE n.id > ? AND n.id <= ? AND ${wantedKinds}`,
    [arrivals.after, arrivals.upTo, ...wantedParams(did, wanted)],
  )
}

/** Finds a notification if the account's filter includes it. */
export function findWanted(
  db: Reader,
  { did, wanted, id }: { did: string; wanted: Wanted; id: number },
): Notification | undefined {
  const [found] = select(
    db,
    `SELECT n.id FROM notifications n JOIN notification_kinds k ON ${inKind} WHERE n.id = ? AND ${wantedKinds}`,
    [id, ...wantedParams(did, wanted)],
  )
  return found
}

interface Arrived {
  readonly did: string
  readonly wanted: Wanted
  readonly arrivals: Arrivals
}

/** Returns the recipients of arrivals, each with the range of ids that contains theirs. */
export function recipients(db: Reader, { after, upTo }: Arrivals): { did: string; arrivals: Arrivals }[] {
  return db
    .all<{ did: string; first: number; last: number }>(
      `SELECT a.did, min(n.id) AS first, max(n.id) AS last FROM notifications n JOIN accounts a ON a.id = n.account
       WHERE n.id > ? AND n.id <= ? GROUP BY n.account`,
      [after, upTo],
    )
    .map(({ did, first, last }) => ({ did, arrivals: { after: first - 1, upTo: last } }))
}

function select(db: Reader, ids: string, params: (string | number)[]): Notification[] {
  return db.all<Notification>(
    `SELECT n.id, a.did AS author, n.reason, n.reason_subject AS reasonSubject,
       n.indexed_at AS indexedAt, n.collection, n.rkey, coalesce(n.cid, r.cid) AS cid, coalesce(n.bytes, r.bytes) AS bytes
     FROM (${ids}) wanted CROSS JOIN notifications n ON n.id = wanted.id
     JOIN accounts a ON a.id = n.author
     LEFT JOIN records r ON r.did = a.did AND r.collection = n.collection AND r.rkey = n.rkey
     ORDER BY n.indexed_at DESC`,
    params,
  )
}

/** Number of notifications after the account's seen marker, or after `seenAt` if given. */
export function countUnread(db: Reader, did: string, wanted: Wanted, seenAt?: string): number {
  const [unread, params] =
    seenAt === undefined
      ? ['k.unread', []]
      : [`(SELECT count(*) FROM notifications n WHERE ${inKind} AND n.indexed_at > ?)`, [seenAt]]
  const row = db.get<{ count: number }>(
    `SELECT coalesce(sum(${unread}), 0) AS count FROM notification_kinds k WHERE ${wantedKinds}`,
    [...params, ...wantedParams(did, wanted)],
  )
  return row?.count ?? 0
}

/** The account's seen marker. */
export function seenAt(db: Reader, did: string): DatetimeString | undefined {
  return db.get<{ seenAt: DatetimeString }>(
    'SELECT seen_at AS seenAt FROM seen_markers WHERE account = (SELECT id FROM accounts WHERE did = ?)',
    [did],
  )?.seenAt
}

export function setSeenAt(tx: Writer, did: string, at: string): void {
  tx.run(
    `INSERT INTO seen_markers (account, seen_at) SELECT id, ? FROM accounts WHERE did = ?
     ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at`,
    [at, did],
  )
  tx.run(
    `UPDATE notification_kinds AS k SET unread = (SELECT count(*) FROM notifications n WHERE ${inKind} AND n.indexed_at > ?)
     WHERE k.account = (SELECT id FROM accounts WHERE did = ?)`,
    [at, did],
  )
}

/** The record that a notification refers to. */
export interface Source {
  readonly did: string
  /** As the client wrote it, possibly an alias. */
  readonly collection: string
  readonly rkey: string
}

export interface NewNotification {
  /** DID of the recipient. */
  readonly to: string
  readonly reason: Reason
  readonly reasonSubject?: string | undefined
}

const columns =
  'account, author, hidden, followed, collection, rkey, reason, reason_subject, indexed_at, cid, bytes'

const isInactive = 'a.deactivated_at IS NOT NULL OR a.taken_down_at IS NOT NULL OR a.suspended_at IS NOT NULL'

/** A deleted record, stored with the notification of its deletion. */
export interface DeletedRecord {
  readonly cid: string
  readonly bytes: Uint8Array
}

/** @param indexedAt later than that of any other notification of these accounts */
export function insert(
  tx: Writer,
  { did, collection, rkey }: Source,
  notifications: readonly NewNotification[],
  indexedAt: string,
  deleted?: DeletedRecord,
): void {
  // One by one: there are rarely more than two, and bound values take half the time of a selection from JSON.
  for (const { to, reason, reasonSubject = null } of notifications) {
    tx.run(
      `INSERT INTO notifications (${columns})
       VALUES ((SELECT id FROM accounts WHERE did = ?), (SELECT id FROM accounts WHERE did = ?),
         (SELECT ${isInactive} FROM accounts a WHERE a.did = ?), EXISTS (SELECT 1 FROM follows WHERE did = ? AND subject = ?),
         ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[to, did, did, to, did],
        ...[collection, rkey, reason, reasonSubject, indexedAt, deleted?.cid ?? null, deleted?.bytes ?? null],
      ],
    )
  }
}

/** Notifies the subscribers in a range of DIDs, except accounts that the post has notified already. */
export function insertForSubscribers(
  tx: Writer,
  { did, collection, rkey }: Source,
  { isReply, after, upTo, indexedAt }: { isReply: number; after: string; upTo: string; indexedAt: string },
): void {
  tx.run(
    `INSERT INTO notifications (${columns})
     SELECT t.id, a.id, ${isInactive}, EXISTS (SELECT 1 FROM follows f WHERE f.did = t.did AND f.subject = a.did),
       ?, ?, 'subscribed-post', NULL, ?, NULL, NULL
     FROM activity_subscriptions s JOIN accounts t ON t.did = s.did JOIN accounts a ON a.did = s.subject
     WHERE s.subject = ? AND s.did > ? AND s.did <= ? AND CASE ? WHEN 1 THEN s.reply ELSE s.post END = 1
       AND NOT EXISTS (
         SELECT 1 FROM notifications n INDEXED BY notifications_record
         WHERE n.author = a.id AND n.rkey = ? AND n.account = t.id AND n.collection = ?)`,
    [collection, rkey, indexedAt, did, after, upTo, isReply, rkey, collection],
  )
}

export interface ExistingNotification {
  readonly id: number
  readonly to: DidString
  readonly reason: Reason
  readonly reasonSubject: AtUriString | null
}

/** The notifications of a record, without `unverified`, which its deletion creates. */
export function ofRecord(db: Reader, { did, collection, rkey }: Source): ExistingNotification[] {
  return db.all<ExistingNotification>(
    `SELECT n.id, t.did AS "to", n.reason, n.reason_subject AS reasonSubject
     FROM notifications n JOIN accounts t ON t.id = n.account
     WHERE n.author = (SELECT id FROM accounts WHERE did = ?) AND n.rkey = ? AND n.collection = ? AND n.reason <> 'unverified'`,
    [did, rkey, collection],
  )
}

export function remove(tx: Writer, id: number): void {
  tx.run('DELETE FROM notifications WHERE id = ?', [id])
}

/** Deletes the notifications that `ofRecord` returns. */
export function removeOfRecord(tx: Writer, { did, collection, rkey }: Source): void {
  tx.run(
    `DELETE FROM notifications
     WHERE author = (SELECT id FROM accounts WHERE did = ?) AND rkey = ? AND collection = ? AND reason <> 'unverified'`,
    [did, rkey, collection],
  )
}

/** Arrival time of the newest notification of any account; empty before the first. */
export function lastArrival(db: Reader): string {
  return db.get<{ last: string }>('SELECT last FROM notification_clock')?.last ?? ''
}

export function setLastArrival(tx: Writer, at: string): void {
  tx.run('UPDATE notification_clock SET last = ?', [at])
}

/** Notifications of one transaction as a range of ids. Ids are never reused. */
export interface Arrivals {
  readonly after: number
  readonly upTo: number
}

/** The newest id, or 0. */
export function lastId(db: Reader): number {
  return db.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM notifications')?.id ?? 0
}
