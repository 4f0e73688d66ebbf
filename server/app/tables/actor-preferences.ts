/** Table `actor_preferences`: the private preferences that clients of the application store for an account. */
import type { Reader, Writer } from '../../store/database.ts'

/** Returns the preferences as a JSON array; undefined if the account has stored none. */
export function find(db: Reader, did: string): string | undefined {
  return db.get<{ preferences: string }>('SELECT preferences FROM actor_preferences WHERE did = ?', [did])
    ?.preferences
}

/** @param preferences a JSON array */
export function put(tx: Writer, did: string, preferences: string): void {
  tx.run(
    `INSERT INTO actor_preferences (did, preferences) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET preferences = excluded.preferences`,
    [did, preferences],
  )
}
