/**
 * Verifies an archive of a repository, and writes its rows to a staged file. A worker thread runs this, because a large
 * archive takes seconds.
 *
 * For imports, the signature of the commit is not verified. Its key is often no longer in the DID document: a moved account has a
 * new one. The archive comes from the account itself, and its tree is committed anew with the key of this server.
 */
import { encode } from '@atproto/lex-cbor'
import { decodeCid, ifCid, isPlainObject, type LexMap } from '@atproto/lex-data'
import { isValidNsid, isValidRecordKey, isValidTid } from '@atproto/syntax'
import type { Files } from '../../../store/files/files.ts'
import { isSignedBy } from '../../../util/keys.ts'
import { decodeMap } from '../../format/decode-map.ts'
import { splitKey } from '../../format/tree-node.ts'
import type { OmissionReason } from '../../tables/omitted-records.ts'
import { type Archive, openArchive } from './archive.ts'
import { InvalidArchive } from './invalid-archive.ts'
import { createStagedFile } from './staged-file.ts'
import { walkTree } from './tree-walk.ts'

export interface VerifyJob {
  readonly archive: string
  /** Path of the staged file, which is created. */
  readonly staged: string
  /** DID of the account that the archive must be of. */
  readonly did: string
  /**
   * For repositories of remote actors: the did:key that must have signed the commit. Their nodes, and records that responses cannot
   * contain, are left out of the staged file.
   */
  readonly signingKey?: string | undefined
}

export interface VerifiedArchive {
  /** Revision of its commit. */
  readonly rev: string
  /** CID of the root of its tree. */
  readonly tree: string
}

/** Deeper values could exhaust the stack of their readers. */
const maxDepth = 100
/**
 * The staged file has a record once for each of its keys, the archive once. Equal records are small ones, of programs: their keys and
 * the nodes around them have a fifth of their bytes.
 */
const maxGrowth = 8
const minStagedBytes = 16_000_000
/** TIDs before the year 2219. Later ones have more bits than a number can hold. */
const maxRev = 'azzzzzzzzzzzz'

/** @throws InvalidArchive */
export async function verifyArchive(files: Files, job: VerifyJob): Promise<VerifiedArchive> {
  const { archive: path, staged: stagedPath, did, signingKey } = job
  const archive = await openArchive(files, path)
  try {
    const { commit, rev, tree } = readCommit(archive, did)
    if (signingKey !== undefined) await checkSignature(commit, signingKey)
    const staged = await createStagedFile(files, stagedPath)
    let left = Math.max(minStagedBytes, maxGrowth * archive.size)
    try {
      for (const { key = '', cid, bytes } of walkTree(archive, tree)) {
        const flaw = key === '' ? undefined : flawOf(key, bytes)
        if (signingKey !== undefined && (key === '' || flaw)) continue
        if (flaw === 'damage') throw new InvalidArchive(`The record ${key} of the archive is not valid`)
        left -= bytes.length
        if (left < 0) throw new InvalidArchive('The archive names the same records under too many keys')
        staged.add({ key, cid, bytes, omission: flaw })
        if (staged.isFull) await staged.flush()
      }
      await staged.flush()
    } finally {
      await staged.close()
    }
    return { rev, tree: decodeCid(tree).toString() }
  } finally {
    await archive.close()
  }
}

function readCommit(archive: Archive, did: string): { commit: LexMap; rev: string; tree: Uint8Array } {
  const block = archive.read(archive.root)
  if (!block) throw new InvalidArchive('The archive lacks its commit')
  const commit = decodeMap(block) ?? {}
  const tree = ifCid(commit.data)
  const { rev } = commit
  if (commit.version !== 3 || !tree || !(commit.sig instanceof Uint8Array)) {
    throw new InvalidArchive('The root of the archive is not a commit of version 3')
  }
  if (commit.did !== did) throw new InvalidArchive('The archive is of another account')
  if (typeof rev !== 'string' || !isValidTid(rev) || rev > maxRev) {
    throw new InvalidArchive('The revision of the archive is not valid')
  }
  return { commit, rev, tree: Buffer.from(tree.bytes) }
}

async function checkSignature({ sig, ...unsigned }: LexMap, signingKey: string): Promise<void> {
  const isSigned = sig instanceof Uint8Array && (await isSignedBy(signingKey, encode(unsigned), sig))
  if (!isSigned) throw new InvalidArchive('The commit of the archive is not signed by the key of its account')
}

/** Returns the problem with a record; undefined if responses can contain it. */
function flawOf(key: string, bytes: Uint8Array): OmissionReason | 'damage' | undefined {
  const record = decodeMap(bytes)
  const flaw = record ? unreadable(record) : 'depth'
  if (flaw === 'depth') return 'damage'
  const { collection, rkey } = splitKey(key)
  return isValidNsid(collection) && isValidRecordKey(rkey) ? flaw : 'key'
}

/** Whether responses can contain a value: it is not too deep, and its integers have at most 53 bits. */
export function isReadable(value: unknown): boolean {
  return unreadable(value) === undefined
}

/** Returns why responses cannot contain a value. Depth goes first: it can exhaust the stack of everyone who decodes the value. */
function unreadable(value: unknown, depth = maxDepth): 'depth' | 'integer' | undefined {
  if (depth === 0) return 'depth'
  if (typeof value === 'bigint') return 'integer'
  let found: 'integer' | undefined
  const items = Array.isArray(value) ? value : isPlainObject(value) ? Object.values(value as LexMap) : []
  for (const item of items) {
    const flaw = unreadable(item, depth - 1)
    if (flaw === 'depth') return flaw
    found ??= flaw
  }
  return found
}
