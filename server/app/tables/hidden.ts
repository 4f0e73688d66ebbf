/** The bits of `hidden` on notifications: 1 author inactive, which a trigger sets, 2 muted, 4 blocked, 8 thread muted, 16 record taken down, which a trigger sets too. */

import { blockedSql, listsOf, membersOf, mutedSql, usersOf } from '../../federation/tables/blocks.ts'
import { actorPaths, paths } from '../../repository/format/link-paths.ts'
import type { Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'

const relationBits = (account: string, author: string) =>
  `(${mutedSql(account, author)} * 2 | ${blockedSql(account, author)} * 4)`

/** Ids of posts' collections. */
const posts = `SELECT id FROM collections WHERE name = 'feed.post'`

/** The bit of the thread of a notification: that of its record, of its subject, and the one that begins with its subject. */
const threadBit = (account: string, record: string, subject: string) => `(8 * (
  EXISTS (SELECT 1 FROM muted_threads WHERE account = ${account}) AND EXISTS (
    SELECT 1 FROM (
      SELECT actor, rkey FROM subjects WHERE id = ${subject}
      UNION ALL
      SELECT root.actor, root.rkey FROM links l JOIN subjects root ON root.id = l.subject WHERE l.record = ${record} AND l.path = ${paths.root}
      UNION ALL
      SELECT root.actor, root.rkey FROM subjects s
        JOIN records r ON r.actor = s.actor AND r.collection IN (${posts}) AND r.rkey = s.rkey
        JOIN links l ON l.record = r.id AND l.path = ${paths.root} JOIN subjects root ON root.id = l.subject
        WHERE s.id = ${subject}) thread
    JOIN muted_threads m ON m.account = ${account} AND m.actor = thread.actor AND m.rkey = thread.rkey)))`

/** SQL expression: the bits of a new notification. The arguments are SQL expressions too; record and subject may be null. */
export const hiddenSql = (
  { account, author, record, subject }: { account: string; author: string; record: string; subject: string },
  inactive: string,
) =>
  `(${inactive} | ${relationBits(account, author)} | ${threadBit(account, record, subject)} | 16 * EXISTS (SELECT 1 FROM taken_down_records WHERE record = ${record}))`

/** Updates the notifications between each of some actors and each of others, after a change of blocks or mutes. */
export function refreshBetween(tx: Writer, some: readonly number[], others: readonly number[]): void {
  if (some.length === 0 || others.length === 0) return
  const bits = relationBits('n.account', 'n.author')
  tx.run(
    `UPDATE notifications AS n SET hidden = (hidden & ~6) | ${bits}
     WHERE n.id IN (
       SELECT m.id FROM json_each(?1) a CROSS JOIN json_each(?2) b
         CROSS JOIN notifications m ON m.author = a.value AND m.account = b.value
       UNION ALL
       SELECT m.id FROM json_each(?1) a CROSS JOIN json_each(?2) b
         CROSS JOIN notifications m ON m.author = b.value AND m.account = a.value)
       AND hidden & 6 <> ${bits}`,
    [JSON.stringify(some), JSON.stringify(others)],
  )
}

/** Updates the notifications of an account, and notifications that it caused, with ids after `after`, up to `upTo`. */
export function refreshAmong(
  tx: Writer,
  did: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): void {
  const bits = relationBits('n.account', 'n.author')
  tx.run(
    `UPDATE notifications AS n SET hidden = (hidden & ~6) | ${bits}
     WHERE n.id > ? AND n.id <= ? AND ${actorId} IN (n.account, n.author) AND hidden & 6 <> ${bits}`,
    [after, upTo, did],
  )
}

/** Updates the notifications between the users and the members of the lists of an account. */
export function refreshLists(tx: Writer, did: string): void {
  for (const list of listsOf(tx, did)) refreshBetween(tx, usersOf(tx, list), membersOf(tx, list))
}

/** Updates the notifications that an account has from a thread, after it was muted or unmuted. */
export function refreshThread(tx: Writer, account: string, root: { did: string; rkey: string }): void {
  const bit = threadBit('n.account', 'n.record', 'n.subject')
  tx.run(
    `WITH account AS (SELECT ${actorId} AS id),
       roots AS (SELECT id FROM subjects WHERE actor = ${actorId} AND rkey = ?),
       replies AS (SELECT l.record FROM roots JOIN links l ON l.subject = roots.id AND l.path = ${paths.root}),
       subjects_in_thread AS (
         SELECT id FROM roots
         UNION ALL
         SELECT s.id FROM replies CROSS JOIN records r ON r.id = replies.record AND r.actor = (SELECT id FROM account)
           JOIN subjects s ON s.actor = r.actor AND s.rkey = r.rkey)
     UPDATE notifications AS n SET hidden = (hidden & ~8) | ${bit}
     WHERE n.account = (SELECT id FROM account) AND n.record IN (
         SELECT record FROM replies
         UNION ALL
         SELECT l.record FROM subjects_in_thread t JOIN links l ON l.subject = t.id AND l.path NOT IN ${actorPaths})
       AND hidden & 8 <> ${bit}`,
    [account, root.did, root.rkey],
  )
}
