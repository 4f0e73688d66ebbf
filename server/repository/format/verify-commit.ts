/**
 * Verifies blocks of a repository of another server: the signature of the commit, and records by the nodes of its tree (atproto
 * repository specification).
 */
import { encode } from '@atproto/lex-cbor'
import { type Cid, ifCid, type LexMap } from '@atproto/lex-data'
import { isValidTid } from '@atproto/syntax'
import { cidKey, cidText } from '../../util/cid.ts'
import { isSignedBy } from '../../util/keys.ts'
import { decodeMap } from './decode-map.ts'
import { type CarBlock, isIntact, maxBlockBytes, readBlocks, rootOf } from './read-car.ts'
import { type NodeEntry, parseNode } from './tree-node.ts'

/** A verified commit with some nodes of its tree and some records. */
export interface VerifiedCommit {
  readonly did: string
  readonly rev: string
  readonly cid: string
  /**
   * Returns the record at a key (`collection/rkey`); undefined if the tree has none.
   * @throws InvalidProof if a node or the record is missing among the blocks, or damaged
   */
  record(key: string): { readonly cid: string; readonly bytes: Uint8Array } | undefined
}

/** The blocks are no proof: damaged, incomplete, or signed by another key. */
export class InvalidProof extends Error {
  override name = 'InvalidProof'
}

/** Bytes of a commit and of a node of a tree, which have some hundred and some thousand: decoded, they take many times as many. */
const maxCommitBytes = 10_000
const maxNodeBytes = 65_536
/** Layers of a tree: a SHA-256 has no more pairs of zero bits. */
const maxDepth = 129

/**
 * @param car archive with the commit as its root; the hash of every block that is used is verified
 * @param signingKey did:key of the DID document
 * @throws InvalidProof
 */
export async function verifyCommit(
  car: Uint8Array,
  { did, signingKey }: { readonly did: string; readonly signingKey: string },
): Promise<VerifiedCommit> {
  const { root, blockOf } = await open(Buffer.from(car.buffer, car.byteOffset, car.byteLength))
  const { sig, ...unsigned } = readCommit(blockOf(root, maxCommitBytes))
  if (unsigned.did !== did) throw new InvalidProof(`The commit is of ${unsigned.did} instead of ${did}`)
  const isSigned = await isSignedBy(signingKey, encode(unsigned), sig)
  if (!isSigned) throw new InvalidProof(`The commit of ${did} is not signed by its key`)

  const nodes = new Map<string, readonly NodeEntry[]>()
  function entriesOf(cid: Uint8Array): readonly NodeEntry[] {
    const known = nodes.get(cidKey(cid))
    if (known) return known
    const entries = parseNode(blockOf(cid, maxNodeBytes))
    if (!entries) throw new InvalidProof('A node of the tree is malformed')
    nodes.set(cidKey(cid), entries)
    return entries
  }

  return {
    did,
    rev: unsigned.rev,
    cid: cidText(root),
    record(key) {
      let node = unsigned.data.bytes
      for (let depth = 0; depth < maxDepth; depth++) {
        const entry = entryFor(entriesOf(node), key)
        if (!entry) return undefined
        if (entry.key !== undefined) return { cid: cidText(entry.record), bytes: blockOf(entry.record) }
        node = entry.node
      }
      throw new InvalidProof('The tree is too deep')
    },
  }
}

/** Returns the record of a key, or the lower node whose range contains it. */
function entryFor(entries: readonly NodeEntry[], key: string): NodeEntry | undefined {
  const next = entries.findIndex((entry) => entry.key !== undefined && entry.key >= key)
  const [before, at] = next < 0 ? [entries.at(-1)] : [entries[next - 1], entries[next]]
  if (at?.key === key) return at
  return before?.key === undefined ? before : undefined
}

/** @throws InvalidProof */
async function open(car: Buffer): Promise<{
  root: Uint8Array
  blockOf: (cid: Uint8Array, maxBytes?: number) => Uint8Array
}> {
  let blocks: ReadonlyMap<string, CarBlock>
  let root: Uint8Array
  try {
    root = rootOf(car)
    blocks = await readBlocks(car)
  } catch (cause) {
    throw new InvalidProof('The blocks are not a valid archive', { cause })
  }
  const blockOf = (cid: Uint8Array, maxBytes = maxBlockBytes) => {
    const block = blocks.get(cidKey(cid))
    if (!block) throw new InvalidProof(`The proof lacks the block ${cidText(cid)}`)
    if (block.bytes.length > maxBytes) throw new InvalidProof(`The block ${cidText(cid)} is too large`)
    if (!isIntact(block)) throw new InvalidProof(`The block ${cidText(cid)} is damaged`)
    return block.bytes
  }
  return { root, blockOf }
}

type Commit = LexMap & {
  readonly did: string
  readonly rev: string
  readonly data: Cid
  readonly sig: Uint8Array
}

/** @throws InvalidProof */
function readCommit(bytes: Uint8Array): Commit {
  const commit = decodeMap(bytes)
  const { did, rev, version, data, sig } = commit ?? {}
  const isCommit =
    version === 3 && typeof did === 'string' && typeof rev === 'string' && isValidTid(rev) && ifCid(data)
  if (!isCommit || !(sig instanceof Uint8Array)) {
    throw new InvalidProof('The root of the archive is not a commit of version 3')
  }
  return commit as Commit
}
