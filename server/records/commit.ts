/** Signed commits (atproto repository specification, version 3). */
import { encode } from '@atproto/lex-cbor'
import { type Cid, cidForCbor } from '@atproto/lex-data'
import type { CommitEvent } from '../events/frames.ts'
import { type Sign, signerOf } from '../identity/keys.ts'
import type { Block, Head } from '../store/tables/repos.ts'
import { carFile } from './car.ts'
import { emptyTree } from './tree.ts'

/** Signs a commit to `tree`. @param sign signs with the signing key of the account */
export async function signCommit(
  { did, rev, tree }: { did: string; rev: string; tree: Cid },
  sign: Sign,
): Promise<{ head: Head; block: Block }> {
  // Version 3 commits form no chain; `prev` stays for readers that require the field.
  const unsigned = { did, version: 3, data: tree, rev, prev: null }
  const bytes = encode({ ...unsigned, sig: sign(encode(unsigned)) })
  const cid = (await cidForCbor(bytes)).toString()
  return { head: { commit: cid, rev, tree: tree.toString() }, block: { cid, bytes } }
}

/**
 * Creates the first commit of a repository: to a tree without records.
 * @param signingKey private key of the account, P-256
 */
export async function firstCommit(
  { did, rev }: { did: string; rev: string },
  signingKey: Uint8Array,
): Promise<{ head: Head; blocks: Block[]; event: CommitEvent }> {
  const tree = await emptyTree()
  const { head, block } = await signCommit({ did, rev, tree: tree.root }, signerOf(signingKey))
  const blocks = [block, tree.block]
  const event = {
    did,
    commit: head.commit,
    rev,
    since: undefined,
    ops: [],
    blocks: carFile(head.commit, blocks),
  }
  return { head, blocks, event }
}
