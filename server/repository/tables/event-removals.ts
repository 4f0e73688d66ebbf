/** Table `event_removals`: deleted accounts whose events are still in the table `events`. Its readers leave them out. */
import type { Reader, Writer } from '../../store/database.ts'

/** The number of the last event before the deletion, by DID. The DID may come back with later events. */
export type Removals = ReadonlyMap<string, number>

/** Adds an account that is being deleted. */
export function add(tx: Writer, did: string): void {
  tx.run(
    `INSERT INTO event_removals (did, seq) SELECT ?, last_seq FROM event_state WHERE true
     ON CONFLICT (did) DO UPDATE SET seq = excluded.seq`,
    [did],
  )
}

export function all(db: Reader): Removals {
  const rows = db.all<{ did: string; seq: number }>('SELECT did, seq FROM event_removals')
  return new Map(rows.map(({ did, seq }) => [did, seq]))
}

/** Deletes removals that are done. Keeps removals of accounts that have been deleted again. */
export function remove(tx: Writer, done: Removals): void {
  for (const [did, seq] of done) tx.run('DELETE FROM event_removals WHERE did = ? AND seq = ?', [did, seq])
}

/** SQL condition: whether an event `e` is of a deleted account. */
export const isRemoved = 'EXISTS (SELECT 1 FROM event_removals r WHERE r.did = e.did AND r.seq >= e.seq)'
