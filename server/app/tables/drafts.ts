/** Table `drafts`: drafts of posts, which clients store for an account. Private. */

import type { TidString } from '@atproto/syntax'
import type { PageOf } from '../../federation/tables/graph.ts'
import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface Draft {
  /** Grows with the time of the last change. */
  readonly position: number
  readonly id: TidString
  /** JSON */
  readonly draft: string
  readonly createdAt: DatetimeString
  readonly updatedAt: DatetimeString
}

export interface Change extends Pick<Draft, 'id' | 'draft'> {
  readonly at: DatetimeString
}

export function count(db: Reader, account: number): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM drafts WHERE account = ?', [account])?.n ?? 0
}

/** @param account actor id, as in all functions here */
export function add(tx: Writer, account: number, { id, draft, at }: Change): void {
  tx.run('INSERT INTO drafts (account, id, draft, created_at, updated_at) VALUES (?, ?, ?, ?, ?)', [
    ...[account, id, draft, at, at],
  ])
}

/** Replaces a draft, which comes first then. Ignores an unknown id. */
export function replace(tx: Writer, account: number, { id, draft, at }: Change): void {
  tx.run(
    `UPDATE drafts SET draft = ?, updated_at = ?, position = (SELECT max(position) + 1 FROM drafts)
     WHERE account = ? AND id = ?`,
    [draft, at, account, id],
  )
}

export function remove(tx: Writer, account: number, id: string): void {
  tx.run('DELETE FROM drafts WHERE account = ? AND id = ?', [account, id])
}

/** The drafts of an account, from the last changed. */
export function page(db: Reader, account: number, { before, limit }: PageOf): Draft[] {
  return db.all<Draft>(
    `SELECT position, id, draft, created_at AS createdAt, updated_at AS updatedAt FROM drafts
     WHERE account = ? AND position < ? ORDER BY position DESC LIMIT ?`,
    [account, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
}
