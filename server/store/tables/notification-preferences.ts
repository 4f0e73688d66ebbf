/** Table `notification_preferences`. */
import type { Reader, Writer } from '../database.ts'

/** The chosen preferences as JSON; undefined when none were ever chosen. */
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
