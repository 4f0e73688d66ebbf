/** Counts the private state of an account: its data beside its records. */
import type { Reader } from '../database.ts'

/** Number of stored preferences, activity subscriptions, push registrations and seen markers. */
export function privateStateValues(db: Reader, did: string): number {
  const row = db.get<{ count: number }>(
    `SELECT (SELECT count(*) FROM notification_preferences p JOIN json_each(p.preferences) WHERE p.did = ?1)
       + (SELECT count(*) FROM actor_preferences p JOIN json_each(p.preferences) WHERE p.did = ?1)
       + (SELECT count(*) FROM activity_subscriptions WHERE account = (SELECT id FROM actors WHERE did = ?1))
       + (SELECT count(*) FROM push_registrations WHERE did = ?1)
       + (SELECT count(*) FROM seen_markers WHERE account = (SELECT id FROM accounts WHERE did = ?1)) AS count`,
    [did],
  )
  return row?.count ?? 0
}
