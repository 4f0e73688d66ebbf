/** Reads commits of event streams, and undoes their operations, as the rules of the network (Sync 1.1) want it of consumers. */
import { decode, encode } from '@atproto/lex-cbor'
import type { Cid } from '@atproto/lex-data'
import { type BlockMap, MemoryBlockstore, MST, readCar, readCarWithRoot, verifyRepo } from '@atproto/repo'
import { isSignedBy } from '../../../server/util/keys.ts'

export interface OpenedCommit {
  readonly rev: string
  /** CID of the tree. */
  readonly data: Cid
  readonly blocks: BlockMap
}

export interface Operation {
  readonly path: string
  readonly cid: Cid | null
  readonly prev?: Cid
}

/** Opens a CAR file whose root is a signed commit. @param key a did:key @throws Error when it is not one of the account */
export async function openCommit(car: Uint8Array, did: string, key: string): Promise<OpenedCommit> {
  const { roots, blocks } = await readCar(car)
  const block = roots[0] && blocks.get(roots[0])
  if (!block || roots.length !== 1) throw new Error('the CAR file has no commit')
  // biome-ignore lint/suspicious/noExplicitAny: checked here
  const { sig, ...commit } = decode(block) as any
  if (commit.did !== did) throw new Error(`the commit is of ${commit.did}`)
  if (!(await isSignedBy(key, encode(commit), sig))) throw new Error('the commit is not signed by the key')
  return { rev: commit.rev, data: commit.data, blocks }
}

/** Undoes operations with the blocks of the event alone. @returns CID of the tree before @throws Error if they do not fit the tree */
export async function undone({ blocks, data }: OpenedCommit, ops: readonly Operation[]): Promise<string> {
  let tree = MST.load(new MemoryBlockstore(blocks), data)
  for (const { path, cid, prev } of ops.toReversed()) {
    const found = await tree.get(path)
    if (String(found) !== String(cid)) throw new Error(`${path} is ${found} in the tree`)
    if (cid) tree = prev ? await tree.update(path, prev) : await without(tree, path)
    else if (prev) tree = await tree.add(path, prev)
    else throw new Error(`the deletion of ${path} lacks the record before`)
  }
  return String(await tree.getPointer())
}

/** Removes a record. The library gives an empty tree the height of the one before, which a later addition would keep. */
async function without(tree: MST, path: string): Promise<MST> {
  const rest = await tree.delete(path)
  return (await rest.getEntries()).length > 0 ? rest : MST.create(rest.storage)
}

let empty: Promise<string> | undefined

/** Returns the CID of a tree without records. */
export function emptyTree(): Promise<string> {
  empty ??= MST.create(new MemoryBlockstore()).then(async (tree) => String(await tree.getPointer()))
  return empty
}

export interface ReadRepository {
  readonly rev: string
  readonly data: string
  /** CIDs by path. */
  readonly records: Map<string, string>
}

/** Verifies the export of a repository. @throws Error */
export async function openExport(car: Uint8Array, did: string, key: string): Promise<ReadRepository> {
  const { rev, data } = await openCommit(car, did, key)
  const { root, blocks } = await readCarWithRoot(car)
  const { creates } = await verifyRepo(blocks, root, did)
  const records = new Map(creates.map(({ collection, rkey, cid }) => [`${collection}/${rkey}`, String(cid)]))
  return { rev, data: String(data), records }
}
