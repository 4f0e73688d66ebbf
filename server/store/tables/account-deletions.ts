/**
 * Accounts that are being deleted. Their rows are many, so they are deleted in many transactions. The first one changes the DID of
 * the row in `accounts`: from then on no look-up by DID, handle or email address finds the account. Its actor keeps the DID, because
 * others may refer to it, and is inactive.
 */

import { prefix } from '../database/being-deleted.ts'
import type { Reader, Writer } from '../database.ts'
import * as actors from './actors.ts'

/** An account that is being deleted. */
export interface Deletion {
  readonly id: number
  readonly did: string
}

/** Returns the accounts that are being deleted, the oldest first. */
export function pending(db: Reader): Deletion[] {
  return db.all<Deletion>(
    `SELECT id, substr(did, ${prefix.length + 1}) AS did FROM accounts WHERE did >= '${prefix}' AND did < 'deleting;' ORDER BY id`,
  )
}

export function isPending(db: Reader, did: string): boolean {
  return db.get('SELECT 1 FROM accounts WHERE did = ?', [prefix + did]) !== undefined
}

/** Returns the columns that refer to an account by its DID, read from the schema. Each of these tables has few rows per account. */
function columnsByDid(db: Reader): { table: string; column: string }[] {
  return db.all(
    `SELECT m.name AS "table", f."from" AS "column" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
     WHERE m.type = 'table' AND f."table" = 'accounts' AND f."to" = 'did' ORDER BY m.name`,
  )
}

/** Hides an account for good: its sessions and its keys are deleted, its names become free. */
export function begin(tx: Writer, did: string, at: string): void {
  for (const { table, column } of columnsByDid(tx)) tx.run(`DELETE FROM ${table} WHERE ${column} = ?`, [did])
  tx.run(`DELETE FROM moves WHERE account = ${actors.actorId}`, [did])
  tx.run(
    `UPDATE accounts SET did = ?1, handle = ?1, email = NULL, password_hash = NULL, is_owner = 0, deactivated_at = ?2,
       delete_after = NULL, activate_by = NULL, signing_key = x'', signing_key_did = '', plc_operation = NULL, plc_handle = NULL,
       plc_endpoint = NULL, invite_code = NULL, invite_note = NULL
     WHERE did = ?3`,
    [prefix + did, at, did],
  )
}

/** Tables of many rows: the column that refers to the account, and the columns of a key, in the order of an index. */
export const manyRows = [
  { table: 'notifications', column: 'author', order: 'account, id', key: 'id', limit: 50 },
  {
    ...{ table: 'notifications', column: 'account', key: 'id', limit: 50 },
    order: 'hidden, reason, followed, indexed_at, id',
  },
  { table: 'records', column: 'actor', order: 'collection, rkey', key: 'id', limit: 20 },
  { table: 'omitted_records', column: 'actor', order: 'key', key: 'actor, key', limit: 20 },
  { table: 'repo_blocks', column: 'actor', order: 'cid', key: 'actor, cid', limit: 200 },
  { table: 'blobs', column: 'account', order: 'cid', key: 'account, cid', limit: 200 },
  { table: 'bookmarks', column: 'account', order: 'did, rkey', key: 'id', limit: 200 },
  { table: 'drafts', column: 'account', order: 'position', key: 'position', limit: 50 },
  { table: 'mutes', column: 'account', order: 'subject', key: 'account, subject', limit: 200 },
  { table: 'muted_lists', column: 'account', order: 'actor, rkey', key: 'account, actor, rkey', limit: 200 },
  {
    table: 'muted_threads',
    column: 'account',
    order: 'actor, rkey',
    key: 'account, actor, rkey',
    limit: 200,
  },
  {
    ...{ table: 'activity_subscriptions', column: 'account', limit: 200 },
    ...{ order: 'created_at, subject', key: 'subject, account' },
  },
] as const

/** Deletes some of the rows of an account, which takes a millisecond or two. Returns false when there are none. */
export function removeSome(tx: Writer, id: number): boolean {
  return manyRows.some(
    ({ table, column, order, key, limit }) =>
      tx.run(
        `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${column} = ? ORDER BY ${order} LIMIT ?)`,
        [id, limit],
      ) > 0,
  )
}

/** Deletes the records of the lists of an account: from then on they have no effect. */
export function removeLists(tx: Writer, id: number, rkey: string): void {
  tx.run(
    `DELETE FROM records WHERE actor = ? AND rkey = ? AND collection IN (SELECT id FROM collections WHERE name = 'graph.list')`,
    [id, rkey],
  )
}

/** Deletes the account, and its actor unless others refer to it. Call it when no other rows are left. */
export function end(tx: Writer, id: number): void {
  tx.run('DELETE FROM accounts WHERE id = ?', [id])
}
