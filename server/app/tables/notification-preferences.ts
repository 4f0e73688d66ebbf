/** Table `notification_preferences`. */
import type { Reader, Writer } from '../../store/database.ts'

/** Returns the stored preferences as JSON; undefined if the account has not changed any. */
export function find(db: Reader, did: string): string | undefined {
  return db.get<{ preferences: string }>('SELECT preferences FROM notification_preferences WHERE did = ?', [
    did,
  ])?.preferences
}

export function put(tx: Writer, did: string, preferences: string): void {
  tx.run(
    `INSERT INTO notification_preferences (did, preferences) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET preferences = excluded.preferences`,
    [did, preferences],
  )
}
