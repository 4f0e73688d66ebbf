/**
 * Verifies blocks of a repository of another server: the signature of the commit, and records by the nodes of its tree (atproto
 * repository specification).
 */
import { decode, encode } from '@atproto/lex-cbor'
import { ifCid, isPlainObject, type LexMap, parseCid } from '@atproto/lex-data'
import { type BlockMap, type Commit, MemoryBlockstore, MST, readCar } from '@atproto/repo'
import { isValidTid } from '@atproto/syntax'
import { isSignedBy } from '../identity/keys.ts'

/** A verified commit with some nodes of its tree and some records. */
export interface VerifiedCommit {
  readonly did: string
  readonly rev: string
  readonly cid: string
  /**
   * Returns the record at a key (`collection/rkey`); undefined if the tree has none. Calls at the same time read shared nodes again.
   * @throws InvalidProof if a node or the record is missing among the blocks
   */
  record(key: string): Promise<{ readonly cid: string; readonly bytes: Uint8Array } | undefined>
}

/** The blocks prove nothing: they are damaged, incomplete, or not signed by the key. */
export class InvalidProof extends Error {
  override name = 'InvalidProof'
}

/**
 * @param car archive with the commit as its root; the hash of every block is verified
 * @param signingKey did:key of the DID document
 * @throws InvalidProof
 */
export async function verifyCommit(
  car: Uint8Array,
  { did, signingKey }: { readonly did: string; readonly signingKey: string },
): Promise<VerifiedCommit> {
  const { root, blocks } = await open(car)
  const commit = readCommit(root, blocks)
  if (commit.did !== did) throw new InvalidProof(`The commit is of ${commit.did} instead of ${did}`)
  const { sig, ...unsigned } = commit
  const isSigned = await isSignedBy(signingKey, encode(unsigned), sig)
  if (!isSigned) throw new InvalidProof(`The commit of ${did} is not signed by its key`)
  const tree = MST.load(new MemoryBlockstore(blocks), commit.data)
  return {
    did,
    rev: commit.rev,
    cid: root,
    async record(key) {
      const cid = await tree.get(key).catch((cause: unknown) => {
        throw new InvalidProof(`The proof of ${key} lacks a node`, { cause })
      })
      if (!cid) return undefined
      const bytes = blocks.get(cid)
      if (!bytes) throw new InvalidProof(`The blocks lack the record ${key}`)
      return { cid: cid.toString(), bytes }
    },
  }
}

async function open(car: Uint8Array): Promise<{ root: string; blocks: BlockMap }> {
  const { roots, blocks } = await readCar(car).catch((cause: unknown) => {
    throw new InvalidProof('The blocks are not a valid archive', { cause })
  })
  if (!roots[0]) throw new InvalidProof('The archive has no root')
  return { root: roots[0].toString(), blocks }
}

function readCommit(root: string, blocks: BlockMap): Commit {
  const bytes = blocks.get(parseCid(root))
  const commit = bytes && decodeMap(bytes)
  const { did, rev, version, data, sig } = commit ?? {}
  const isCommit =
    version === 3 && typeof did === 'string' && typeof rev === 'string' && isValidTid(rev) && ifCid(data)
  if (!isCommit || !(sig instanceof Uint8Array)) {
    throw new InvalidProof('The root of the archive is not a commit of version 3')
  }
  return commit as unknown as Commit
}

function decodeMap(bytes: Uint8Array): LexMap | undefined {
  try {
    const value = decode(bytes)
    return isPlainObject(value) ? (value as LexMap) : undefined
  } catch {
    return undefined
  }
}
