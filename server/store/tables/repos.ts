/** Tables `repos` and `repo_blocks`: the latest commit of each repository and the nodes of its tree. No history is kept. */
import { cidBytes, cidText } from '../cid.ts'
import type { Reader, Writer } from '../database.ts'
import * as actors from './actors.ts'
import { actorId } from './actors.ts'

/** The latest commit of a repository. */
export interface Head {
  /** CID of the latest commit. */
  readonly commit: string
  /** TID of the latest commit. */
  readonly rev: string
  /** CID of the root of the tree. */
  readonly tree: string
}

export interface Block {
  readonly cid: string
  readonly bytes: Uint8Array
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
  insertBlocks(tx, actor, blocks)
}

/** Sets the next commit, and updates the blocks of the tree. */
export function advance(
  tx: Writer,
  did: string,
  head: Head,
  blocks: { added: readonly Block[]; removed: readonly string[] },
): void {
  const actor = actors.idOf(tx, did) ?? 0
  tx.run('UPDATE repos SET commit_cid = ?, rev = ?, tree_cid = ? WHERE actor = ?', [
    cidBytes(head.commit),
    head.rev,
    cidBytes(head.tree),
    actor,
  ])
  tx.run(`DELETE FROM repo_blocks WHERE actor = ? AND cid IN (${blocks.removed.map(() => '?').join(', ')})`, [
    actor,
    ...blocks.removed.map(cidBytes),
  ])
  insertBlocks(tx, actor, blocks.added)
}

function insertBlocks(tx: Writer, actor: number, blocks: readonly Block[]): void {
  if (blocks.length === 0) return
  tx.run(
    `INSERT INTO repo_blocks (actor, cid, bytes) VALUES ${blocks.map(() => '(?, ?, ?)').join(', ')}`,
    blocks.flatMap(({ cid, bytes }) => [actor, cidBytes(cid), bytes]),
  )
}

export function findBlock(db: Reader, did: string, cid: string): Uint8Array | undefined {
  return db.get<{ bytes: Uint8Array }>(`SELECT bytes FROM repo_blocks WHERE actor = ${actorId} AND cid = ?`, [
    did,
    cidBytes(cid),
  ])?.bytes
}

/** Blocks in CID order, after `after`. */
export function blockPage(db: Reader, did: string, after: string | undefined, limit: number): Block[] {
  const rows = db.all<{ cid: Uint8Array; bytes: Uint8Array }>(
    `SELECT cid, bytes FROM repo_blocks WHERE actor = ${actorId} AND cid > ? ORDER BY cid LIMIT ?`,
    [did, after === undefined ? new Uint8Array() : cidBytes(after), limit],
  )
  return rows.map(({ cid, bytes }) => ({ cid: cidText(cid), bytes }))
}

export function countBlocks(db: Reader, did: string): number {
  const row = db.get<{ count: number }>(
    `SELECT (SELECT count(*) FROM repo_blocks WHERE actor = ${actorId})
       + (SELECT count(DISTINCT cid) FROM records WHERE actor = ${actorId}) AS count`,
    [did, did],
  )
  return row?.count ?? 0
}
