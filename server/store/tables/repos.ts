/** Tables `repos` and `repo_blocks`: the latest commit of each repository and the nodes of its tree. No history is kept. */
import type { Reader, Writer } from '../database.ts'

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
  return db.get<Head>('SELECT commit_cid AS "commit", rev, tree_cid AS tree FROM repos WHERE did = ?', [did])
}

export function insert(tx: Writer, did: string, head: Head, blocks: readonly Block[]): void {
  tx.run('INSERT INTO repos (did, commit_cid, rev, tree_cid) VALUES (?, ?, ?, ?)', [
    did,
    head.commit,
    head.rev,
    head.tree,
  ])
  insertBlocks(tx, did, blocks)
}

/** Sets the next commit, and updates the blocks of the tree. */
export function advance(
  tx: Writer,
  did: string,
  head: Head,
  blocks: { added: readonly Block[]; removed: readonly string[] },
): void {
  tx.run('UPDATE repos SET commit_cid = ?, rev = ?, tree_cid = ? WHERE did = ?', [
    head.commit,
    head.rev,
    head.tree,
    did,
  ])
  tx.run('DELETE FROM repo_blocks WHERE did = ? AND cid IN (SELECT value FROM json_each(?))', [
    did,
    JSON.stringify(blocks.removed),
  ])
  insertBlocks(tx, did, blocks.added)
}

function insertBlocks(tx: Writer, did: string, blocks: readonly Block[]): void {
  if (blocks.length === 0) return
  const rows = blocks.map(() => '(?, ?, ?)').join(', ')
  tx.run(
    `INSERT INTO repo_blocks (did, cid, bytes) VALUES ${rows}`,
    blocks.flatMap(({ cid, bytes }) => [did, cid, bytes]),
  )
}

export function findBlock(db: Reader, did: string, cid: string): Uint8Array | undefined {
  return db.get<{ bytes: Uint8Array }>('SELECT bytes FROM repo_blocks WHERE did = ? AND cid = ?', [did, cid])
    ?.bytes
}

/** Blocks in CID order, after `after`. */
export function blockPage(db: Reader, did: string, after: string | undefined, limit: number): Block[] {
  return db.all<Block>('SELECT cid, bytes FROM repo_blocks WHERE did = ? AND cid > ? ORDER BY cid LIMIT ?', [
    did,
    after ?? '',
    limit,
  ])
}

export function countBlocks(db: Reader, did: string): number {
  const row = db.get<{ count: number }>(
    `SELECT (SELECT count(*) FROM repo_blocks WHERE did = ?)
       + (SELECT count(DISTINCT cid) FROM records WHERE did = ?) AS count`,
    [did, did],
  )
  return row?.count ?? 0
}
