/** Table `name_words`: the words of display names, for search. Foreign keys delete the words of a deleted profile. */
import type { Reader, Writer } from '../../store/database.ts'
import { isTemporary } from '../../store/tables/accounts.ts'
import { isNotTakenDown } from '../../store/tables/takedowns.ts'
import { paths } from '../format/link-paths.ts'

/** Replaces the words of a profile. @param record id of the profile's record. @param words normalized, see `nameWords` */
export function replace(tx: Writer, record: number, words: Iterable<string>): void {
  tx.run('DELETE FROM name_words WHERE record = ?', [record])
  for (const word of new Set(words)) {
    tx.run('INSERT INTO name_words (word, record) VALUES (?, ?)', [word, record])
  }
}

/** A term of a search: the start of a handle, or words that the display name has, each at least by its start. */
export interface Term {
  readonly handle: string
  readonly words: readonly string[]
}

export interface Search {
  /** Each has to match; at least one. */
  readonly terms: readonly Term[]
  /** The viewer. Accounts that it follows are listed first. */
  readonly viewer: number | undefined
  readonly offset: number
  readonly limit: number
}

/**
 * Returns the active accounts, and known actors of other servers, that match: first actors that the viewer follows, then those
 * with most followers.
 */
export function search(db: Reader, { terms, viewer, offset, limit }: Search): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT a.id FROM actors a LEFT JOIN link_counts n ON n.subject = a.id AND n.path = ${paths.follow}
     WHERE a.inactive = 0 AND ${terms.map((term) => `a.id IN (${matching(term)})`).join(' AND ')}
       AND (EXISTS (SELECT 1 FROM accounts WHERE id = a.id AND NOT ${isTemporary}) OR EXISTS (SELECT 1 FROM remote_actors WHERE id = a.id AND host IS NOT NULL))
     ORDER BY EXISTS (SELECT 1 FROM links WHERE subject = a.id AND path = ${paths.follow} AND actor = ?) DESC, coalesce(n.count, 0) DESC, a.id
     LIMIT ? OFFSET ?`,
    [
      ...terms.flatMap(({ handle, words }) => [handle, handle, ...words].flatMap(range)),
      ...[viewer ?? null, limit, offset],
    ],
  )
  return rows.map(({ id }) => id)
}

function matching({ words }: Term): string {
  const handle = `SELECT id FROM accounts WHERE handle >= ? AND handle < ?
    UNION ALL SELECT id FROM remote_actors WHERE shown_handle >= ? AND shown_handle < ?`
  if (words.length === 0) return handle
  const names = words.map(() => 'SELECT record FROM name_words WHERE word >= ? AND word < ?')
  return `${handle} UNION SELECT actor FROM records WHERE id IN (${names.join(' INTERSECT ')}) AND ${isNotTakenDown('records.id')}`
}

/** The texts that start with a prefix: from the first value, before the second. */
function range(prefix: string): [string, string] {
  return [prefix, `${prefix}\u{10ffff}`]
}
