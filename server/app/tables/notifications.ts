/**
 * Tables `notifications`, `deleted_records`, `notification_kinds`, `notification_clock` and `seen_markers`.
 *
 * A kind is a reason plus whether the account follows the author. A reader's filter is a set of kinds. An index orders the
 * notifications of each kind, and triggers count its unread ones, so neither a page nor the count reads notifications
 * outside the filter. Hidden notifications are left out of lists, counts and pushes.
 */
import type { AtUriString, DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { type LinkPath, paths } from '../../repository/format/link-paths.ts'
import { hasOtherLink } from '../../repository/tables/links.ts'
import type { Reader, Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import { actorId } from '../../store/tables/actors.ts'
import { collectionId } from '../../store/tables/collections.ts'
import { cidBytes, cidText } from '../../util/cid.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import { hiddenSql } from './hidden.ts'
import { type Reason, reasonNumbers, reasons } from './reasons.ts'

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

const reasonsByNumber = new Map<number, Reason>(reasons.map((reason) => [reasonNumbers[reason], reason]))

function reasonOf(number: number): Reason {
  const reason = reasonsByNumber.get(number)
  if (reason === undefined) throw new Error(`No reason of notifications has the number ${number}`)
  return reason
}

const inKind = 'n.account = k.account AND n.hidden = 0 AND n.reason = k.reason AND n.followed = k.followed'

const wantedKinds = `
  k.account = ${actorId}
  AND k.reason IN (SELECT value FROM json_each(CASE k.followed WHEN 1 THEN ? ELSE ? END))`

function wantedParams(did: string, { followed, others }: Wanted): string[] {
  const numbers = (some: readonly Reason[]) => JSON.stringify(some.map((reason) => reasonNumbers[reason]))
  return [did, numbers(followed), numbers(others)]
}

/** Returns notifications, newest first; with `before`, only with lower ids. Times grow with ids. */
export function page(
  db: Reader,
  { did, wanted, before, limit }: { did: string; wanted: Wanted; before?: number | undefined; limit: number },
): Notification[] {
  return select(
    db,
    `SELECT n.id FROM notification_kinds k CROSS JOIN notifications n
     WHERE ${wantedKinds} AND n.id IN (
       SELECT n.id FROM notifications n WHERE ${inKind} AND n.indexed_at <= ? AND n.id < ? ORDER BY n.indexed_at DESC LIMIT ?)
     ORDER BY n.indexed_at DESC LIMIT ?`,
    [
      ...wantedParams(did, wanted),
      before === undefined ? Number.MAX_SAFE_INTEGER : latestBefore(db, before),
      before ?? Number.MAX_SAFE_INTEGER,
      limit,
      limit,
    ],
  )
}

/** The time of the last notification with a lower id. */
function latestBefore(db: Reader, id: number): number {
  const row = db.get<{ at: number }>(
    'SELECT indexed_at AS at FROM notifications WHERE id < ? ORDER BY id DESC LIMIT 1',
    [id],
  )
  return row?.at ?? 0
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

interface Row extends Pick<Notification, 'id' | 'author' | 'collection' | 'rkey' | 'bytes'> {
  readonly reason: number
  readonly indexedAt: number
  readonly subjectDid: string | null
  readonly subjectCollection: string | null
  readonly subjectKey: string | null
  readonly cid: Uint8Array
}

function select(db: Reader, ids: string, params: (string | number)[]): Notification[] {
  return db
    .all<Row>(
      `SELECT n.id, a.did AS author, n.reason, n.indexed_at AS indexedAt,
         t.did AS subjectDid, sc.nsid AS subjectCollection, s.rkey AS subjectKey, coalesce(c.nsid, d.collection) AS collection,
         coalesce(r.rkey, d.rkey) AS rkey, coalesce(r.cid, d.cid) AS cid, coalesce(r.bytes, d.bytes) AS bytes
       FROM (${ids}) wanted CROSS JOIN notifications n ON n.id = wanted.id
       JOIN actors a ON a.id = n.author
       LEFT JOIN records r ON r.id = n.record LEFT JOIN collections c ON c.id = r.collection
       LEFT JOIN deleted_records d ON n.record IS NULL AND d.notification = n.id
       LEFT JOIN subjects s ON s.id = n.subject LEFT JOIN actors t ON t.id = s.actor
       LEFT JOIN collections sc ON sc.id = s.collection
       ORDER BY n.indexed_at DESC`,
      params,
    )
    .map(toNotification)
}

function toNotification(row: Row): Notification {
  const { id, author, collection, rkey, bytes } = row
  return {
    ...{ id, author, collection, rkey, bytes },
    reason: reasonOf(row.reason),
    reasonSubject: reasonSubject(row),
    indexedAt: iso(new Date(row.indexedAt)),
    cid: cidText(row.cid),
  }
}

/** Verifications are about the record itself; it is not stored as their subject. */
function reasonSubject(row: Row): AtUriString | null {
  if (row.subjectKey !== null)
    return `at://${row.subjectDid}/${row.subjectCollection}/${row.subjectKey}` as AtUriString
  const isVerification = row.reason === reasonNumbers.verified || row.reason === reasonNumbers.unverified
  return isVerification ? `at://${row.author}/${row.collection}/${row.rkey}` : null
}

/** Number of notifications after the account's seen marker, or after `seenAt` if given. */
export function countUnread(db: Reader, did: string, wanted: Wanted, seenAt?: DatetimeString): number {
  const [unread, params] =
    seenAt === undefined
      ? ['k.unread', []]
      : [`(SELECT count(*) FROM notifications n WHERE ${inKind} AND n.indexed_at > ?)`, [Date.parse(seenAt)]]
  const row = db.get<{ count: number }>(
    `SELECT coalesce(sum(${unread}), 0) AS count FROM notification_kinds k WHERE ${wantedKinds}`,
    [...params, ...wantedParams(did, wanted)],
  )
  return row?.count ?? 0
}

/** The notifications of a reason that arrived in a period. */
export interface PeriodCount {
  /** Index of the period. */
  readonly period: number
  readonly reason: Reason
  readonly count: number
}

/**
 * Counts the notifications that the account's filter includes, by period and reason; only counts above 0.
 * @param starts of the periods in milliseconds since 1970, ascending; the last period has no end
 */
export function countByPeriod(
  db: Reader,
  { did, wanted, starts }: { did: string; wanted: Wanted; starts: readonly number[] },
): PeriodCount[] {
  const periods = starts.map((start, at) => [start, starts[at + 1] ?? Number.MAX_SAFE_INTEGER])
  return db
    .all<{ period: number; reason: number; count: number }>(
      `SELECT p.key AS period, k.reason, sum((SELECT count(*) FROM notifications n
         WHERE ${inKind} AND n.indexed_at >= p.value ->> 0 AND n.indexed_at < p.value ->> 1)) AS count
       FROM notification_kinds k CROSS JOIN json_each(?) p WHERE ${wantedKinds}
       GROUP BY p.key, k.reason HAVING count > 0 ORDER BY p.key, k.reason`,
      [JSON.stringify(periods), ...wantedParams(did, wanted)],
    )
    .map(({ reason, ...row }) => ({ ...row, reason: reasonOf(reason) }))
}

/** The account's seen marker as the client gave it, which may be in the future. */
export function givenSeenAt(db: Reader, did: string): DatetimeString | undefined {
  const row = db.get<{ at: number }>(
    `SELECT coalesce(given_at, seen_at) AS at FROM seen_markers WHERE account = ${actorId}`,
    [did],
  )
  return row && iso(new Date(row.at))
}

/** The time up to which the account has read its notifications. */
export function seenAt(db: Reader, did: string): DatetimeString | undefined {
  const row = db.get<{ seenAt: number }>(
    `SELECT seen_at AS seenAt FROM seen_markers WHERE account = ${actorId}`,
    [did],
  )
  return row && iso(new Date(row.seenAt))
}

/** Sets the seen marker. @param now of a later marker, only what arrived before the call counts as read */
export function setSeenAt(tx: Writer, did: string, given: DatetimeString, now: number): void {
  const at = Date.parse(given)
  // The times of notifications that arrived at once are a little ahead of the clock.
  const latest = Math.max(now, lastArrival(tx))
  tx.run(
    `INSERT INTO seen_markers (account, seen_at, given_at) SELECT id, ?, ? FROM accounts WHERE did = ?
     ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at, given_at = excluded.given_at`,
    [Math.min(at, latest), at > latest ? at : null, did],
  )
  recount(tx, actors.idOf(tx, did) ?? 0)
}

/** Counts the unread notifications of an account again. */
function recount(tx: Writer, account: number): void {
  tx.run(
    `UPDATE notification_kinds AS k SET unread = (SELECT count(*) FROM notifications n WHERE ${inKind}
       AND n.indexed_at > coalesce((SELECT seen_at FROM seen_markers WHERE account = ?1), 0))
     WHERE k.account = ?1`,
    [account],
  )
}

/** How long ago notifications arrived whose time is corrected. */
const correctedMs = 60_000

/** The id of the last notification up to now; 0 if there is none. */
export function lastUpTo(db: Reader, now: number): number {
  const row = db.get<{ id: number }>(
    'SELECT id FROM notifications WHERE indexed_at <= ? ORDER BY id DESC LIMIT 1',
    [now],
  )
  return row?.id ?? 0
}

/**
 * Corrects the times of notifications after `after`, which were given while the clock was ahead: they arrived before now, in the
 * order of their ids. @returns the id of the last one, 0 if there are no more
 */
export function correctTimes(
  tx: Writer,
  { after, now, limit }: { readonly after: number; readonly now: number; readonly limit: number },
): number {
  const future = tx.all<{ id: number; account: number }>(
    'SELECT id, account FROM notifications WHERE id > ? ORDER BY id LIMIT ?',
    [after, limit],
  )
  // A minute ago, also for notifications that are corrected next: a client that has seen them may be a little behind.
  let at = Math.max(latestBefore(tx, after + 1), now - correctedMs - (lastId(tx) - after))
  for (const { id } of future) tx.run('UPDATE notifications SET indexed_at = ? WHERE id = ?', [++at, id])
  for (const account of new Set(future.map((row) => row.account))) recount(tx, account)
  if (future.length === limit) return future.at(-1)?.id ?? 0
  setLastArrival(tx, at)
  return 0
}

/** Sets seen markers in the future to the time that `correctTimes` gives: later notifications are unread. */
export function correctMarkers(tx: Writer, now: number): void {
  const future = tx.all<{ account: number }>('SELECT account FROM seen_markers WHERE seen_at > ?', [now])
  for (const { account } of future) {
    tx.run('UPDATE seen_markers SET seen_at = ?, given_at = NULL WHERE account = ?', [
      now - correctedMs,
      account,
    ])
    recount(tx, account)
  }
}

/** A record by author, collection as it was written, and key. */
export interface Source {
  readonly did: string
  readonly collection: string
  readonly rkey: string
}

export interface NewNotification {
  /** DID of the recipient. */
  readonly to: string
  readonly reason: Reason
  /** The record that the author acted on. */
  readonly subject?: Source | undefined
  /**
   * The path of the link that causes it, if its author notifies once per existing subject. A further record of the author with the
   * same link is ignored, so that one author cannot flood the list.
   */
  readonly oncePer?: LinkPath | undefined
}

/** A deleted record, stored with the notification of its deletion. */
export interface DeletedRecord {
  readonly cid: string
  readonly bytes: Uint8Array
}

const recordId = `(SELECT id FROM records WHERE actor = ${actorId} AND collection = ${collectionId} AND rkey = ?)`
const subjectId = `(SELECT id FROM subjects WHERE actor = ${actorId} AND collection = ${collectionId} AND rkey = ?)`
const isFollowed = (account: string, author: string) =>
  `EXISTS (SELECT 1 FROM links WHERE subject = ${author} AND path = ${paths.follow} AND actor = ${account})`

/**
 * Notifies accounts here of a record. Its links must be stored.
 * @param indexedAt later than that of any other notification of these accounts
 */
export function insert(
  tx: Writer,
  source: Source,
  notifications: readonly NewNotification[],
  indexedAt: DatetimeString,
  deleted?: DeletedRecord,
): void {
  const author = actors.idOf(tx, source.did) ?? 0
  const record = deleted ? null : idOf(tx, recordId, source)
  for (const { to, reason, subject, oncePer } of notifications) {
    const account = actors.idOf(tx, to) ?? 0
    const about = subject ? idOf(tx, subjectId, subject) : null
    if (oncePer !== undefined) {
      if (subject && idOf(tx, recordId, subject) === null) continue
      if (hasOtherLink(tx, { subject: about ?? account, path: oncePer, actor: author, record: record ?? 0 }))
        continue
    }
    // Read first, so that the journal has the result instead of the long expression.
    const state = tx.get<{ hidden: number; followed: number }>(stateOfNew, [account, author, record, about])
    tx.run(
      `INSERT INTO notifications (account, author, hidden, followed, reason, indexed_at, record, subject)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[account, author, state?.hidden ?? 0, state?.followed ?? 0],
        ...[reasonNumbers[reason], Date.parse(indexedAt), record, about],
      ],
    )
    if (deleted) insertDeleted(tx, source, deleted)
  }
}

const stateOfNew = `
  SELECT ${hiddenSql({ account: '?1', author: '?2', record: '?3', subject: '?4' }, '(SELECT inactive FROM actors WHERE id = ?2)')} AS hidden,
    ${isFollowed('?1', '?2')} AS followed`

/** @param select `recordId` or `subjectId` */
function idOf(db: Reader, select: string, { did, collection, rkey }: Source): number | null {
  return db.get<{ id: number | null }>(`SELECT ${select} AS id`, [did, collection, rkey])?.id ?? null
}

/** Stores the record of the last notification. */
function insertDeleted(tx: Writer, { collection, rkey }: Source, { cid, bytes }: DeletedRecord): void {
  tx.run('INSERT INTO deleted_records (notification, collection, rkey, cid, bytes) VALUES (?, ?, ?, ?, ?)', [
    lastId(tx),
    collection,
    rkey,
    cidBytes(cid),
    bytes,
  ])
}

/** Notifies the subscribers in a range of account ids, except accounts that the post has notified already. */
export function insertForSubscribers(
  tx: Writer,
  { did, collection, rkey }: Source,
  {
    isReply,
    after,
    upTo,
    indexedAt,
  }: { isReply: number; after: number; upTo: number; indexedAt: DatetimeString },
): void {
  tx.run(
    `INSERT INTO notifications (account, author, hidden, followed, reason, indexed_at, record)
     SELECT s.account, a.id, ${hiddenSql({ account: 's.account', author: 'a.id', record: 'p.id', subject: 'NULL' }, 'a.inactive')},
       ${isFollowed('s.account', 'a.id')}, ?, ?, p.id
     FROM (SELECT ${recordId} AS id) p JOIN actors a ON a.did = ? JOIN activity_subscriptions s ON s.subject = a.id
     WHERE s.account > ? AND s.account <= ? AND CASE ? WHEN 1 THEN s.reply ELSE s.post END = 1
       AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.record = p.id AND n.account = s.account)`,
    [
      ...[reasonNumbers['subscribed-post'], Date.parse(indexedAt)],
      ...[did, collection, rkey, did],
      ...[after, upTo, isReply],
    ],
  )
}

export interface ExistingNotification extends NewNotification {
  readonly id: number
}

/** The notifications of a record that exists. */
export function ofRecord(db: Reader, record: number): ExistingNotification[] {
  const rows = db.all<{
    id: number
    to: string
    reason: number
    did: string | null
    collection: string | null
    rkey: string | null
  }>(
    `SELECT n.id, t.did AS "to", n.reason, a.did, c.nsid AS collection, s.rkey
     FROM notifications n JOIN accounts t ON t.id = n.account
     LEFT JOIN subjects s ON s.id = n.subject LEFT JOIN actors a ON a.id = s.actor LEFT JOIN collections c ON c.id = s.collection
     WHERE n.record = ?`,
    [record],
  )
  return rows.map(({ id, to, reason, did, collection, rkey }) => ({
    id,
    to,
    reason: reasonOf(reason),
    subject: did === null || collection === null || rkey === null ? undefined : { did, collection, rkey },
  }))
}

export function remove(tx: Writer, id: number): void {
  tx.run('DELETE FROM notifications WHERE id = ?', [id])
}

/** Arrival time of the newest notification of any account, in milliseconds; 0 before the first. */
export function lastArrival(db: Reader): number {
  return db.get<{ last: number }>('SELECT last FROM notification_clock')?.last ?? 0
}

export function setLastArrival(tx: Writer, at: number): void {
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
