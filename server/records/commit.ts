/** Signed commits (atproto repository specification, version 3). */
import { encode } from '@atproto/lex-cbor'
import type { CommitEvent } from '../events/frames.ts'
import { type Sign, signerOf } from '../identity/keys.ts'
import { cborCid, linkTo } from '../store/cid.ts'
import type { Block, Head } from '../store/tables/repos.ts'
import { carFile } from './car.ts'
import { emptyTree } from './tree.ts'

/** Signs a commit to the tree with the CID `tree`. @param sign signs with the signing key of the account */
export function signCommit(
  { did, rev, tree }: { did: string; rev: string; tree: string },
  sign: Sign,
): { head: Head; block: Block } {
  // Version 3 commits form no chain; `prev` stays for readers that require the field.
  const unsigned = { did, version: 3, data: linkTo(tree), rev, prev: null }
  const bytes = encode({ ...unsigned, sig: sign(encode(unsigned)) })
  const cid = cborCid(bytes)
  return { head: { commit: cid, rev, tree }, block: { cid, bytes } }
}

/**
 * Creates the first commit of a repository: to a tree without records.
 * @param signingKey private key of the account, P-256
 */
export function firstCommit(
  { did, rev }: { did: string; rev: string },
  signingKey: Uint8Array,
): { head: Head; blocks: Block[]; event: CommitEvent } {
  const { cid, bytes } = emptyTree()
  const { head, block } = signCommit({ did, rev, tree: cid }, signerOf(signingKey))
  const blocks = [block, { cid, bytes }]
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
