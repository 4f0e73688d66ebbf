/** Columns `status` of `remote_actors` and `inactive` of `actors`: whether actors of other servers are active. */
import type { Reader, Writer } from '../../store/database.ts'
import { remoteId } from './remote-actors.ts'

/** Status of an inactive account (`com.core.sync.getRepoStatus`). */
export type RemoteStatus = 'deactivated' | 'suspended' | 'takendown' | 'deleted'

export interface StatusRow {
  readonly inactive: number
  /** Null if active, or if it had an account here that was deleted. */
  readonly status: RemoteStatus | null
  /** A commit with a later revision makes an inactive actor active. Null: no commit does; beside a `status` of null, every commit does. */
  readonly rev: string | null
}

export function find(db: Reader, did: string): StatusRow | undefined {
  return db.get<StatusRow>(
    'SELECT a.inactive, r.status, r.rev FROM actors a LEFT JOIN remote_actors r ON r.id = a.id WHERE a.did = ?',
    [did],
  )
}

/**
 * Sets the status of an actor, if it is known and has no account here.
 * @param status undefined: active
 * @param rev see `StatusRow`; that of an earlier status remains
 */
export function set(tx: Writer, did: string, status: RemoteStatus | undefined, rev?: string): void {
  const id = remoteId(tx, did)
  if (id === undefined) return
  tx.run(
    `INSERT INTO remote_actors (id, status, rev) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET
       rev = CASE WHEN status IS NULL OR excluded.rev IS NULL THEN excluded.rev ELSE coalesce(rev, excluded.rev) END,
       status = excluded.status`,
    [id, status ?? null, rev ?? null],
  )
  tx.run('UPDATE actors SET inactive = ?1 WHERE id = ?2 AND inactive <> ?1', [
    status === undefined ? 0 : 1,
    id,
  ])
}

/** Notes the last revision of an account that was deleted here. A later one is of another server, to which it has moved. */
export function setLastRev(tx: Writer, did: string, rev: string): void {
  const id = remoteId(tx, did)
  if (id === undefined) return
  tx.run(
    'INSERT INTO remote_actors (id, rev) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET rev = excluded.rev',
    [id, rev],
  )
}
