/** Table `reports`: what accounts report to the owner of the server. */

import type { AtUriString, DidString, HandleString } from '@atproto/syntax'
import type { PageOf } from '../../federation/tables/graph.ts'
import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface Subject {
  /** DID of the account, or of the author of the record. */
  readonly did: DidString
  /** Null: the account is reported. */
  readonly uri: AtUriString | null
  readonly cid: string | null
}

export interface NewReport extends Subject {
  readonly reasonType: string
  readonly reason: string | null
  readonly createdAt: DatetimeString
}

export interface Report extends NewReport {
  readonly id: number
  readonly reportedBy: DidString
  readonly reporterHandle: HandleString
  readonly closedAt: DatetimeString | null
  readonly resolution: string | null
}

/** Closed reports that are kept: the newest. */
const maxClosed = 1000

const isReporter = 'account = (SELECT id FROM accounts WHERE did = ?)'

/** Stores a report. @param reporter DID @returns its id */
export function add(tx: Writer, reporter: string, report: NewReport): number {
  const { reasonType, reason, did, uri, cid, createdAt } = report
  const row = tx.get<{ id: number }>(
    `INSERT INTO reports (account, reason_type, reason, did, uri, cid, created_at)
     SELECT id, ?, ?, ?, ?, ?, ? FROM accounts WHERE did = ? RETURNING id`,
    [reasonType, reason, did, uri, cid, createdAt, reporter],
  )
  return row?.id ?? 0
}

/** Number of open reports of an account. */
export function countOpen(db: Reader, reporter: string): number {
  const row = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM reports WHERE ${isReporter} AND closed_at IS NULL`,
    [reporter],
  )
  return row?.count ?? 0
}

/** Returns open or closed reports, newest first. */
export function page(db: Reader, isClosed: boolean, { before, limit }: PageOf): Report[] {
  return db.all<Report>(
    `SELECT r.id, r.reason_type AS reasonType, r.reason, r.did, r.uri, r.cid, r.created_at AS createdAt,
       a.did AS reportedBy, a.handle AS reporterHandle, r.closed_at AS closedAt, r.resolution
     FROM reports r JOIN accounts a ON a.id = r.account
     WHERE (r.closed_at IS NULL) = ? AND r.id < ? ORDER BY r.id DESC LIMIT ?`,
    [isClosed ? 0 : 1, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
}

/** Closes an open report, and deletes the oldest closed ones. @returns false if there is none */
export function close(tx: Writer, id: number, resolution: string, at: DatetimeString): boolean {
  const closed = tx.run(
    'UPDATE reports SET closed_at = ?, resolution = ? WHERE id = ? AND closed_at IS NULL',
    [at, resolution, id],
  )
  tx.run(
    `DELETE FROM reports WHERE id IN
       (SELECT id FROM reports WHERE (closed_at IS NULL) = 0 ORDER BY id DESC LIMIT -1 OFFSET ${maxClosed})`,
  )
  return closed > 0
}
