/**
 * Tables `repos` and `repo_blocks`: the latest commit of each repository and the nodes of its tree. No history is kept. Each
 * block and record has the revision that wrote it; null when that is not known.
 */
import type { DidString } from '@atproto/syntax'
import { isNotBeingDeleted } from '../../store/database/being-deleted.ts'
import type { Reader, Writer } from '../../store/database.ts'
import type { Account } from '../../store/tables/accounts.ts'
import * as actors from '../../store/tables/actors.ts'
import { actorId } from '../../store/tables/actors.ts'
import { collectionId } from '../../store/tables/collections.ts'
import { isUnpublished } from '../../store/tables/stream-state.ts'
import { cidBytes, cidText } from '../../util/cid.ts'
import type { DatetimeString } from '../../util/time.ts'
import type { Block } from '../format/block.ts'

/** The latest commit of a repository. */
export interface Head {
  /** CID of the latest commit. */
  readonly commit: string
  /** TID of the latest commit. */
  readonly rev: string
  /** CID of the root of the tree. */
  readonly tree: string
}

export function findHead(db: Reader, did: string): Head | undefined {
  const row = db.get<{ commit: Uint8Array; rev: string; tree: Uint8Array }>(
    `SELECT commit_cid AS "commit", rev, tree_cid AS tree FROM repos WHERE actor = ${actorId}`,
    [did],
  )
  return row && { commit: cidText(row.commit), rev: row.rev, tree: cidText(row.tree) }
}

export function insert(tx: Writer, did: string, head: Head, blocks: readonly Block[]): void {
  const actor = actors.idOf(tx, did) ?? 0
  tx.run('INSERT INTO repos (actor, commit_cid, rev, tree_cid) VALUES (?, ?, ?, ?)', [
    actor,
    cidBytes(head.commit),
    head.rev,
    cidBytes(head.tree),
  ])
  insertBlocks(tx, actor, head.rev, blocks)
}

/**
 * Sets the next commit after `base`, and updates the blocks of the tree. Returns false, without a change, if the repository has
 * another commit than `base`, or was deleted.
 */
export function advance(
  tx: Writer,
  did: string,
  base: string,
  head: Head,
  blocks: { added: readonly Block[]; removed: readonly string[] },
): boolean {
  const actor = actors.idOf(tx, did)
  if (actor === undefined) return false
  const changes = tx.run(
    'UPDATE repos SET commit_cid = ?, rev = ?, tree_cid = ? WHERE actor = ? AND commit_cid = ?',
    [cidBytes(head.commit), head.rev, cidBytes(head.tree), actor, cidBytes(base)],
  )
  if (changes === 0) return false
  for (const cid of blocks.removed) {
    tx.run('DELETE FROM repo_blocks WHERE actor = ? AND cid = ?', [actor, cidBytes(cid)])
  }
  insertBlocks(tx, actor, head.rev, blocks.added)
  return true
}

/** Inserts row by row: SQLite takes longer for one statement with all rows, and each number of rows would be another statement. */
function insertBlocks(tx: Writer, actor: number, rev: string, blocks: readonly Block[]): void {
  for (const { cid, bytes } of blocks) {
    tx.run('INSERT INTO repo_blocks (actor, cid, bytes, rev) VALUES (?, ?, ?, ?)', [
      actor,
      cidBytes(cid),
      bytes,
      rev,
    ])
  }
}

export function findBlock(db: Reader, did: string, cid: string): Uint8Array | undefined {
  return db.get<{ bytes: Uint8Array }>(`SELECT bytes FROM repo_blocks WHERE actor = ${actorId} AND cid = ?`, [
    did,
    cidBytes(cid),
  ])?.bytes
}

/** Returns a block. Throws if it is not stored. */
export function requireBlock(db: Reader, did: string, cid: string): Uint8Array {
  const bytes = findBlock(db, did, cid)
  if (!bytes) throw new Error(`The repository of ${did} has no block ${cid}`)
  return bytes
}

/** Content of a node or a record, and the revision that wrote it. */
export interface DatedBlock {
  readonly bytes: Uint8Array
  readonly rev: string | null
}

/** Returns a block and the revision that wrote it. */
export function findDatedBlock(db: Reader, did: string, cid: string): DatedBlock | undefined {
  return db.get(`SELECT bytes, rev FROM repo_blocks WHERE actor = ${actorId} AND cid = ?`, [
    did,
    cidBytes(cid),
  ])
}

/** A repository with the columns that determine the status of its account. */
export interface ListedRepo extends Pick<Head, 'commit' | 'rev'>, Pick<Account, StatusColumn> {
  readonly did: DidString
  readonly createdAt: DatetimeString
}

type StatusColumn = 'takenDownAt' | 'suspendedAt' | 'deactivatedAt'

/** Returns repositories by the time their accounts were created, after `after`. Unpublished ones are left out, as in the event stream. */
export function page(db: Reader, after: { createdAt: string; did: string }, limit: number): ListedRepo[] {
  const rows = db.all<Omit<ListedRepo, 'commit'> & { readonly commit: Uint8Array }>(
    `SELECT a.did, a.created_at AS createdAt, r.commit_cid AS "commit", r.rev, a.taken_down_at AS takenDownAt,
       a.suspended_at AS suspendedAt, a.deactivated_at AS deactivatedAt
     FROM accounts a JOIN repos r ON r.actor = a.id
     WHERE (a.created_at, a.did) > (?, ?) AND ${isNotBeingDeleted} AND NOT ${isUnpublished}
     ORDER BY a.created_at, a.did LIMIT ?`,
    [after.createdAt, after.did, limit],
  )
  return rows.map((row) => ({ ...row, commit: cidText(row.commit) }))
}

/** Returns repositories of active accounts that have records of a collection, as `page` does. */
export function pageWithCollection(
  db: Reader,
  collection: string,
  after: { createdAt: string; did: string },
  limit: number,
): Pick<ListedRepo, 'did' | 'createdAt'>[] {
  return db.all(
    `SELECT a.did, a.created_at AS createdAt FROM accounts a
     WHERE (a.created_at, a.did) > (?, ?) AND ${isNotBeingDeleted} AND NOT ${isUnpublished}
       AND coalesce(a.taken_down_at, a.suspended_at, a.deactivated_at) IS NULL
       AND EXISTS (SELECT 1 FROM collection_sizes s WHERE s.actor = a.id AND s.collection = ${collectionId})
     ORDER BY a.created_at, a.did LIMIT ?`,
    [after.createdAt, after.did, collection, limit],
  )
}

/** Counts the latest commit and the nodes of its tree. */
export function countBlocks(db: Reader, did: string): number {
  const row = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM repo_blocks WHERE actor = ${actorId}`,
    [did],
  )
  return row?.count ?? 0
}
