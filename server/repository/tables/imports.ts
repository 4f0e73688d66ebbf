/**
 * Tables of imports that are being applied: `imports`, `import_blocks`, `import_removals`.
 *
 * An import is applied in many transactions. Until all its records are stored, they belong to an actor of their own, so that no
 * query finds them under the account; their links belong to the author at once. The nodes of its tree are stored beside the nodes of
 * the old tree, which is harmless because they are named by their content. An interrupted import is undone while it is being
 * staged, and completed after that.
 */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import { cidBytes } from '../../util/cid.ts'

export interface Import {
  readonly id: number
  /** DID of the account. */
  readonly did: DidString
  /** Id of the account; null when it has been deleted. */
  readonly account: number | null
  /** Id of the actor that the staged records belong to; null when none is left. */
  readonly staging: number | null
  readonly phase: number
}

export const phases = {
  /** The old repository counts. */
  staging: 0,
  /** The new repository counts, but its records have to be moved, and the old ones removed. */
  committed: 1,
  /** Only the list of its nodes is left. */
  applied: 2,
  /** As `committed`, and the old records that the index lacks are removed: the ones that the account has now are new. */
  cleared: 3,
} as const

const select = `SELECT i.id, i.did, i.phase, s.id AS staging, a.id AS account
  FROM imports i LEFT JOIN actors s ON s.did = 'import:' || i.did LEFT JOIN accounts a ON a.did = i.did`

export function all(db: Reader): Import[] {
  return db.all<Import>(select)
}

export function find(db: Reader, did: string): Import | undefined {
  return db.get<Import>(`${select} WHERE i.did = ?`, [did])
}

/** Begins an import. */
export function insert(tx: Writer, did: string): void {
  // No DID begins like this.
  actors.ensure(tx, `import:${did}`)
  tx.run('INSERT INTO imports (did, phase) VALUES (?, ?)', [did, phases.staging])
}

/** Stores a node of the new tree, or its commit. @param rev of the commit */
export function insertBlock(
  tx: Writer,
  { id, account }: Pick<Import, 'id' | 'account'>,
  { cid, bytes, rev }: { readonly cid: Uint8Array; readonly bytes: Uint8Array; readonly rev: string },
): void {
  const isNew = tx.run(
    'INSERT INTO repo_blocks (actor, cid, bytes, rev) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    [account, cid, bytes, rev],
  )
  tx.run('INSERT INTO import_blocks (import, cid, is_new) VALUES (?, ?, ?)', [id, cid, isNew])
}

/** The record of the account with a key, if there is one. */
export function findRecord(
  db: Reader,
  account: number,
  { collection, rkey }: { readonly collection: number; readonly rkey: string },
): { readonly id: number; readonly cid: Uint8Array } | undefined {
  return db.get('SELECT id, cid FROM records WHERE actor = ? AND collection = ? AND rkey = ?', [
    account,
    collection,
    rkey,
  ])
}

export interface StagedRecord {
  readonly collection: number
  readonly rkey: string
  readonly cid: Uint8Array
  /** DAG-CBOR. */
  readonly bytes: Uint8Array
  /** CIDs of the blobs that it names. */
  readonly blobs: readonly string[]
  /** Milliseconds since 1970. */
  readonly indexedAt: number
  /** Revision of the commit that makes the import count. */
  readonly rev: string
}

/** Stores a record of the import. Returns its id. */
export function insertRecord(
  tx: Writer,
  staging: number,
  { collection, rkey, cid, bytes, blobs, indexedAt, rev }: StagedRecord,
): number {
  const id =
    tx.get<{ id: number }>(
      'INSERT INTO records (actor, collection, rkey, cid, bytes, indexed_at, rev) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id',
      [staging, collection, rkey, cid, bytes, indexedAt, rev],
    )?.id ?? 0
  for (const blob of new Set(blobs)) {
    tx.run('INSERT INTO record_blobs (record, cid) VALUES (?, ?)', [id, cidBytes(blob)])
  }
  return id
}

/** The key of a record of the account. */
export interface RecordKey {
  readonly id: number
  readonly collection: number
  readonly rkey: string
}

/** Records of the account in the order of their keys, after `after`. */
export function recordPage(
  db: Reader,
  account: number,
  after: RecordKey | undefined,
  limit: number,
): RecordKey[] {
  return db.all(
    `SELECT id, collection, rkey FROM records WHERE actor = ? AND (collection, rkey) > (?, ?)
     ORDER BY collection, rkey LIMIT ?`,
    [account, after?.collection ?? 0, after?.rkey ?? '', limit],
  )
}

/** Notes records of the account that the import does not have. */
export function insertRemovals(tx: Writer, id: number, records: readonly number[]): void {
  tx.run('INSERT INTO import_removals (record, import) SELECT value, ? FROM json_each(?)', [
    id,
    JSON.stringify(records),
  ])
}

/** Makes the import count: from here on it is completed, also after a crash. */
export function commit(tx: Writer, { id, account, staging }: Import): void {
  setPhase(tx, id, phases.committed)
  tx.run(
    `INSERT INTO collection_sizes (actor, collection, records, bytes)
       SELECT ?, collection, records, bytes FROM collection_sizes WHERE actor = ?
     ON CONFLICT DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes`,
    [account, staging],
  )
  tx.run('DELETE FROM collection_sizes WHERE actor = ?', [staging])
}

export function setPhase(tx: Writer, id: number, phase: number): void {
  tx.run('UPDATE imports SET phase = ? WHERE id = ?', [phase, id])
}

/** Deletes some of the records that the import does not have. Returns how many. */
export function removeSome(tx: Writer, id: number, limit: number): number {
  return tx.run(
    'DELETE FROM records WHERE id IN (SELECT record FROM import_removals WHERE import = ? ORDER BY record LIMIT ?)',
    [id, limit],
  )
}

/** Gives some of the staged records to the account. Returns how many. */
export function moveSome(tx: Writer, { account, staging }: Import, limit: number): number {
  return tx.run(
    'UPDATE records SET actor = ? WHERE id IN (SELECT id FROM records WHERE actor = ? ORDER BY id LIMIT ?)',
    [account, staging, limit],
  )
}

/**
 * Deletes the nodes that the new tree does not have, among some of the account.
 * @returns the CID of the last node that was examined; undefined after all
 */
export function removeOldBlocks(
  tx: Writer,
  { id, account }: Import,
  after: Uint8Array,
  limit: number,
): Uint8Array | undefined {
  const last = tx
    .all<{ cid: Uint8Array }>(
      'SELECT cid FROM repo_blocks WHERE actor = ? AND cid > ? ORDER BY cid LIMIT ?',
      [account, after, limit],
    )
    .at(-1)?.cid
  if (last === undefined) return undefined
  tx.run(
    `DELETE FROM repo_blocks AS b WHERE actor = ? AND cid > ? AND cid <= ?
       AND NOT EXISTS (SELECT 1 FROM import_blocks i WHERE i.import = ? AND i.cid = b.cid)`,
    [account, after, last, id],
  )
  return last
}

/** Deletes some of the staged records. Returns how many. */
export function discardRecords(tx: Writer, staging: number | null, limit: number): number {
  return tx.run(
    'DELETE FROM records WHERE id IN (SELECT id FROM records WHERE actor = ? ORDER BY id LIMIT ?)',
    [staging, limit],
  )
}

/** Deletes some of the stored nodes, unless the old tree has them. Returns how many were examined. */
export function discardBlocks(tx: Writer, { id, account }: Import, limit: number): number {
  tx.run(
    `DELETE FROM repo_blocks WHERE actor = ? AND cid IN (
       SELECT cid FROM (SELECT cid, is_new FROM import_blocks WHERE import = ? ORDER BY cid LIMIT ?) WHERE is_new = 1)`,
    [account, id, limit],
  )
  return forgetBlocks(tx, id, limit)
}

/** Deletes the list of some of the stored nodes, but not the nodes. Returns how many. */
export function forgetBlocks(tx: Writer, id: number, limit: number): number {
  return tx.run(
    `DELETE FROM import_blocks WHERE import = ?1 AND cid IN (
       SELECT cid FROM import_blocks WHERE import = ?1 ORDER BY cid LIMIT ?2)`,
    [id, limit],
  )
}

/** Ends an import. */
export function remove(tx: Writer, { id, staging }: Import): void {
  tx.run('DELETE FROM imports WHERE id = ?', [id])
  tx.run('DELETE FROM actors WHERE id = ?', [staging])
}
