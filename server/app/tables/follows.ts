/** Column `followed` of notifications: whether the recipient follows the author. */

import { paths } from '../../repository/format/link-paths.ts'
import type { Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'

/** Changes `followed` of notifications `n` where it is outdated; the caller adds which. */
const update = `UPDATE notifications AS n SET followed = 1 - followed
  WHERE n.followed <> EXISTS (SELECT 1 FROM links WHERE subject = n.author AND path = ${paths.follow} AND actor = n.account)`

/** Updates `followed` on the notifications that account `did` has from author `subject`. */
export function updateFollowed(tx: Writer, did: string, subject: string): void {
  tx.run(`${update} AND n.author = ${actorId} AND n.account = ${actorId}`, [subject, did])
}

/** Updates `followed` on the notifications of account `did` with ids after `after`, up to `upTo`. */
export function updateFollowedAmong(
  tx: Writer,
  did: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): void {
  tx.run(`${update} AND n.id > ? AND n.id <= ? AND +n.account = ${actorId}`, [after, upTo, did])
}
