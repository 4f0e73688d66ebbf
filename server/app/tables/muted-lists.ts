/** Table `muted_lists`: lists whose members an account mutes. */

import { type List, membersOf } from '../../federation/tables/blocks.ts'
import type { Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import type { DatetimeString } from '../../util/time.ts'
import { refreshBetween } from './hidden.ts'

/** Hides the notifications from the members. Does nothing when the list is muted. */
export function add(tx: Writer, did: string, list: List, at: DatetimeString): void {
  const account = actors.ensure(tx, did)
  tx.run(
    'INSERT INTO muted_lists (account, actor, rkey, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    [account, actors.ensure(tx, list.did), list.rkey, Date.parse(at)],
  )
  refreshBetween(tx, [account], membersOf(tx, list))
}

/** Shows the notifications from the members again. */
export function remove(tx: Writer, did: string, list: List): void {
  const [account, owner] = [actors.idOf(tx, did), actors.idOf(tx, list.did)]
  if (account === undefined || owner === undefined) return
  const members = membersOf(tx, list)
  tx.run('DELETE FROM muted_lists WHERE account = ? AND actor = ? AND rkey = ?', [account, owner, list.rkey])
  refreshBetween(tx, [account], members)
}
