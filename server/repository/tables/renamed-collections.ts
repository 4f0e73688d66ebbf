/** Statements that give a collection another name, for records that are stored under ours. */
import type { DidString, NsidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import { collectionId, ensure, idOf } from '../../store/tables/collections.ts'
import { actorPaths } from '../format/link-paths.ts'

/** A collection that is stored under one name and gets another. */
export interface Renaming {
  readonly from: NsidString
  readonly to: NsidString
}

/** Names of all collections. */
export function all(db: Reader): NsidString[] {
  return db.all<{ nsid: NsidString }>('SELECT nsid FROM collections').map(({ nsid }) => nsid)
}

/** Accounts here with records under a name. */
export function accountsWith(db: Reader, nsid: string): DidString[] {
  const rows = db.all<{ did: DidString }>(
    `SELECT a.did FROM collection_sizes s CROSS JOIN accounts a ON a.id = s.actor WHERE s.collection = ${collectionId}`,
    [nsid],
  )
  return rows.map(({ did }) => did)
}

/** Renames references to the records of a collection. Notifications, counts and bookmarks stay. */
export function renameReferences(tx: Writer, { from, to }: Renaming): void {
  const [old, current] = [idOf(tx, from), ensure(tx, to)]
  const twins = tx.all<{ old: number; current: number }>(
    `SELECT s.id AS old, t.id AS current FROM subjects s
     CROSS JOIN subjects t ON t.actor = s.actor AND t.rkey = s.rkey AND t.collection = ? WHERE s.collection = ?`,
    [current, old ?? 0],
  )
  for (const twin of twins) merge(tx, twin)
  tx.run('UPDATE subjects SET collection = ? WHERE collection = ?', [current, old ?? 0])
  for (const table of ['bookmarks', 'deleted_records', 'wanted_records']) {
    tx.run(`UPDATE OR IGNORE ${table} SET collection = ? WHERE collection = ?`, [to, from])
  }
  for (const [table, column] of uris) {
    tx.run(`UPDATE ${table} SET ${column} = replace(${column}, ?1, ?2) WHERE instr(${column}, ?1)`, [
      `/${from}/`,
      `/${to}/`,
    ])
  }
}

/** Columns with URIs of records. */
const uris = [
  ['reports', 'uri'],
  ['missing_media', 'record'],
] as const

/** Gives the links of a subject to another one. A trigger deletes the subject with its last link. */
function merge(tx: Writer, { old, current }: { readonly old: number; readonly current: number }): void {
  const links = `FROM links WHERE subject = ? AND path NOT IN ${actorPaths}`
  tx.run('UPDATE notifications SET subject = ? WHERE subject = ?', [current, old])
  tx.run(
    `INSERT INTO links (subject, path, actor, record) SELECT ?, path, actor, record ${links} ON CONFLICT DO NOTHING`,
    [current, old],
  )
  tx.run(`DELETE ${links}`, [old])
  tx.run('DELETE FROM subjects WHERE id = ?', [old])
}

/** Renames a collection in the records of other servers. A record under both names stays under the new one. */
export function renameRemoteRecords(tx: Writer, { from, to }: Renaming): void {
  const ofOthers = `collection = ${collectionId} AND actor NOT IN (SELECT id FROM accounts)`
  tx.run(`UPDATE OR IGNORE records SET collection = ? WHERE ${ofOthers}`, [ensure(tx, to), from])
  tx.run(`DELETE FROM records WHERE ${ofOthers}`, [from])
}

/** Forgets the name of a collection that is in use no more. */
export function removeUnused(tx: Writer, nsid: string): void {
  tx.run(
    `DELETE FROM collections AS c WHERE nsid = ? AND NOT EXISTS (SELECT 1 FROM subjects WHERE collection = c.id)
       AND NOT EXISTS (SELECT 1 FROM collection_sizes WHERE collection = c.id)`,
    [nsid],
  )
}
