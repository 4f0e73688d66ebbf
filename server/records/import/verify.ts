/**
 * Verifies an archive of a repository, and writes what is to be stored to a staged file. A worker thread runs this, because a large
 * archive takes seconds.
 *
 * The signature of the commit is not verified. Its key is often no longer in the DID document: a moved account has a new one. The
 * archive comes from the account itself, and its tree is committed anew with the key of this server.
 */
import { decodeCid, ifCid, isPlainObject, type LexMap } from '@atproto/lex-data'
import { isValidTid } from '@atproto/syntax'
import { type Archive, decodeMap, openArchive } from './archive.ts'
import { InvalidArchive } from './invalid-archive.ts'
import { createStagedFile } from './staged-file.ts'
import { walkTree } from './tree-walk.ts'

export interface VerifyJob {
  readonly archive: string
  /** Path of the staged file, which is created. */
  readonly staged: string
  /** DID of the account that the archive must be of. */
  readonly did: string
}

export interface VerifiedArchive {
  /** Revision of its commit. */
  readonly rev: string
  /** CID of the root of its tree. */
  readonly tree: string
}

/** Deeper values could exhaust the stack of those who read them. */
const maxDepth = 100
/** TIDs before the year 2219. Later ones have more bits than a number can hold. */
const maxRev = 'azzzzzzzzzzzz'

/** @throws InvalidArchive */
export function verifyArchive({ archive: path, staged: stagedPath, did }: VerifyJob): VerifiedArchive {
  const archive = openArchive(path)
  try {
    const { rev, tree } = readCommit(archive, did)
    const staged = createStagedFile(stagedPath)
    try {
      for (const { key = '', cid, bytes } of walkTree(archive, tree)) {
        if (key !== '') checkRecord(key, bytes)
        staged.write({ key, cid, bytes })
      }
    } finally {
      staged.close()
    }
    return { rev, tree: decodeCid(tree).toString() }
  } finally {
    archive.close()
  }
}

function readCommit(archive: Archive, did: string): { rev: string; tree: Uint8Array } {
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
  return { rev, tree: Buffer.from(tree.bytes) }
}

function checkRecord(key: string, bytes: Uint8Array): void {
  const record = decodeMap(bytes)
  if (!record || !isReadable(record)) {
    throw new InvalidArchive(`The record ${key} of the archive is not valid`)
  }
}

/** Whether responses can contain a value: it is not too deep, and its integers have at most 53 bits. */
export function isReadable(value: unknown, depth = maxDepth): boolean {
  if (typeof value === 'bigint' || depth === 0) return false
  if (Array.isArray(value)) return value.every((item) => isReadable(item, depth - 1))
  return !isPlainObject(value) || Object.values(value as LexMap).every((item) => isReadable(item, depth - 1))
}
