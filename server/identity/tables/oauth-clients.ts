/** Table `oauth_clients`: the last valid documents of clients with a grant. A trigger deletes that of a client without one. */

import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface KeptDocument {
  /** JSON. */
  readonly document: string
  readonly readAt: DatetimeString
}

export function find(db: Reader, id: string): KeptDocument | undefined {
  return db.get<KeptDocument>('SELECT document, read_at AS readAt FROM oauth_clients WHERE id = ?', [id])
}

/** Whether a client has a grant. */
export function hasGrant(db: Reader, id: string): boolean {
  return db.get('SELECT 1 AS found FROM oauth_grants WHERE client_id = ? LIMIT 1', [id]) !== undefined
}

/** Keeps the document of a client that has a grant. */
export function put(tx: Writer, id: string, { document, readAt }: KeptDocument): void {
  if (!hasGrant(tx, id)) return
  tx.run(
    `INSERT INTO oauth_clients (id, document, read_at) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET document = excluded.document, read_at = excluded.read_at`,
    [id, document, readAt],
  )
}

export function remove(tx: Writer, id: string): void {
  tx.run('DELETE FROM oauth_clients WHERE id = ?', [id])
}
