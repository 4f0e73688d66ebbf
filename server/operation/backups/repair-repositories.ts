/**
 * Repairs repositories after rows of the database were lost: each gets a new tree with exactly the records that are left, and a commit.
 */
import type { Writer } from '../../platform/store/database.ts'
import type { Account } from '../../platform/store/tables/accounts.ts'
import * as omitted from '../../platform/store/tables/omitted-records.ts'
import * as repos from '../../platform/store/tables/repos.ts'
import { signerOf } from '../../platform/util/keys.ts'
import { createTidClock, type NextTid } from '../../repository/format/tid.ts'
import { signCommit } from '../../repository/records/commit.ts'
import { changeTree, emptyTree, TreeNode } from '../../repository/records/tree.ts'
import { findDamage } from './verify-repositories.ts'

/** Records that are added at once. */
const together = 200

/** Returns the repair of a database. It returns a sentence on each repository that was damaged. */
export function repairRepositories(now: () => Date): (tx: Writer) => Promise<string[]> {
  const nextTid = createTidClock(now)
  return async (tx) => {
    const sentences: string[] = []
    for (const { account, damage } of await findDamage(tx)) {
      const records = rebuild(tx, account, nextTid)
      sentences.push(
        `The repository of ${account.handle} was damaged (${damage}). It is made anew from the ${records} records that are left.`,
      )
    }
    return sentences
  }
}

/** Replaces a repository by one with the records that are stored. Returns how many. */
function rebuild(tx: Writer, { did, signingKey }: Account, nextTid: NextTid): number {
  const records = omitted.keysOf(tx, did)
  let tree = emptyTree()
  for (let at = 0; at < records.length; at += together) {
    const changes = records.slice(at, at + together).map(({ key, cid }) => ({ key, cid, prev: undefined }))
    tree = changeTree(tree, changes).tree
  }
  const rev = nextTid(repos.findHead(tx, did)?.rev)
  const { head, block } = signCommit({ did, rev, tree: tree.cid }, signerOf(signingKey))
  repos.replace(tx, did, head, [...nodesOf(tree), block])
  return records.length
}

function nodesOf(node: TreeNode): repos.Block[] {
  const below = node.items.flatMap((item) => (item instanceof TreeNode ? nodesOf(item) : []))
  return [{ cid: node.cid, bytes: node.bytes }, ...below]
}
