/** Table `mutes`: actors whose notifications and posts an account does not want to see. Mutes are private. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import { actorId } from '../../store/tables/actors.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import { refreshBetween } from './hidden.ts'

export interface Mute {
  readonly subject: DidString
  readonly createdAt: DatetimeString
}

/** Hides the notifications from the subject. Does nothing when it is muted. */
export function add(tx: Writer, did: string, subject: string, at: DatetimeString): void {
  const [account, actor] = [actors.ensure(tx, did), actors.ensure(tx, subject)]
  tx.run('INSERT INTO mutes (account, subject, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
    account,
    actor,
    Date.parse(at),
  ])
  refreshBetween(tx, [account], [actor])
}

/** Shows the notifications from the subject again. */
export function remove(tx: Writer, did: string, subject: string): void {
  const [account, actor] = [actors.idOf(tx, did), actors.idOf(tx, subject)]
  if (account === undefined || actor === undefined) return
  tx.run('DELETE FROM mutes WHERE account = ? AND subject = ?', [account, actor])
  refreshBetween(tx, [account], [actor])
}

/** Returns the mutes of an account after `before`, newest first, then by descending subject. */
export function page(db: Reader, did: string, before: Mute | undefined, limit: number): Mute[] {
  const createdAt = before === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(before.createdAt)
  const rows = db.all<{ subject: DidString; createdAt: number }>(
    `SELECT a.did AS subject, m.created_at AS createdAt FROM mutes m JOIN actors a ON a.id = m.subject
     WHERE m.account = ${actorId} AND (m.created_at, a.did) < (?, ?) ORDER BY m.created_at DESC, a.did DESC LIMIT ?`,
    [did, createdAt, before?.subject ?? '', limit],
  )
  return rows.map((row) => ({ ...row, createdAt: iso(new Date(row.createdAt)) }))
}
