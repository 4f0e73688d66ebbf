/** Column `followed` of notifications: whether the recipient follows the author. */
import type { Writer } from '../database.ts'
import { paths } from '../link-paths.ts'
import { actorId } from './actors.ts'

/** Updates `followed` on the notifications that account `did` has from author `subject`. */
export function updateFollowed(tx: Writer, did: string, subject: string): void {
  tx.run(
    `UPDATE notifications AS n SET followed = 1 - followed
     WHERE n.author = ${actorId} AND n.account = ${actorId}
       AND n.followed <> EXISTS (SELECT 1 FROM links WHERE subject = n.author AND path = ${paths.follow} AND actor = n.account)`,
    [subject, did],
  )
}

/** Updates `followed` on all notifications of account `did`. */
export function updateAllFollowed(tx: Writer, did: string): void {
  tx.run(
    `UPDATE notifications AS n SET followed = 1 - followed
     WHERE n.account = ${actorId}
       AND n.followed <> EXISTS (SELECT 1 FROM links WHERE subject = n.author AND path = 9 AND actor = n.account)`,
    [did],
  )
}
