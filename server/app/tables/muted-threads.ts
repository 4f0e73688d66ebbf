/** Table `muted_threads`: threads, by author and key of the root post, whose notifications an account does not want to see. */
import type { Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import { actorId } from '../../store/tables/actors.ts'
import { refreshThread } from './hidden.ts'

/** The root post of a thread. */
export interface Root {
  readonly did: string
  readonly rkey: string
}

/** Hides the notifications from a thread. */
export function add(tx: Writer, did: string, root: Root): void {
  const key = [actors.ensure(tx, did), actors.ensure(tx, root.did), root.rkey]
  tx.run('INSERT INTO muted_threads (account, actor, rkey) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', key)
  refreshThread(tx, did, root)
}

/** Shows the notifications from a thread again. */
export function remove(tx: Writer, did: string, root: Root): void {
  tx.run(`DELETE FROM muted_threads WHERE account = ${actorId} AND actor = ${actorId} AND rkey = ?`, [
    did,
    root.did,
    root.rkey,
  ])
  refreshThread(tx, did, root)
}
