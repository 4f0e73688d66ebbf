/** Signed commits (atproto repository specification, version 3). */

import { cborCid, cidBytes } from '../../util/cid.ts'
import { type Sign, signerOf } from '../../util/keys.ts'
import type { CommitEvent } from '../events/frames.ts'
import type { Block } from '../format/block.ts'
import { carFile } from '../format/car.ts'
import { CborWriter, linkBytes, textBytes } from '../format/cbor-writer.ts'
import type { Head } from '../tables/repos.ts'
import { emptyTree } from './tree.ts'

/** Signs a commit to the tree with the CID `tree`. @param sign signs with the signing key of the account */
export function signCommit(
  { did, rev, tree }: { did: string; rev: string; tree: string },
  sign: Sign,
): { head: Head; block: Block } {
  const content = { did, rev, tree: cidBytes(tree) }
  const bytes = encodeCommit(content, sign(encodeCommit(content)))
  const cid = cborCid(bytes)
  return { head: { commit: cid, rev, tree }, block: { cid, bytes } }
}

interface CommitContent {
  readonly did: string
  readonly rev: string
  /** CID of the tree. */
  readonly tree: Uint8Array
}

/** Encodes a commit of version 3. Commits form no chain; `prev` stays for readers that require it. @param sig if absent, returns the bytes to sign */
function encodeCommit({ did, rev, tree }: CommitContent, sig?: Uint8Array): Uint8Array {
  const writer = new CborWriter(textBytes(did) + textBytes(rev) + linkBytes + 128)
  writer.map(sig ? 6 : 5)
  writer.ascii('did').text(did).ascii('rev').ascii(rev)
  if (sig) writer.ascii('sig').bytes(sig)
  return writer.ascii('data').link(tree).ascii('prev').null().ascii('version').integer(3).finish()
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
