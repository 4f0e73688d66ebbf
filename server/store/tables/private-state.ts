/** Counts the private state of an account: what clients store for it beside its records. */
import type { Reader } from '../database.ts'

/** Tables with one row per account: a JSON array or object, whose members count. */
export const documents = ['actor_preferences', 'notification_preferences'] as const

/** Tables with one row per value, by the number of the account. */
export const lists = [
  'activity_subscriptions',
  'bookmarks',
  'drafts',
  'mutes',
  'muted_lists',
  'muted_threads',
  'seen_markers',
] as const

const counts = [
  ...documents.map(
    (table) => `SELECT count(*) FROM ${table} p JOIN json_each(p.preferences) WHERE p.did = ?1`,
  ),
  ...lists.map(
    (table) => `SELECT count(*) FROM ${table} WHERE account = (SELECT id FROM actors WHERE did = ?1)`,
  ),
  'SELECT count(*) FROM push_registrations WHERE did = ?1',
]

/** Returns the number of values. */
export function privateStateValues(db: Reader, did: string): number {
  const sum = counts.map((count) => `(${count})`).join(' + ')
  return db.get<{ count: number }>(`SELECT ${sum} AS count`, [did])?.count ?? 0
}
