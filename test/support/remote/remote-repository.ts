/** A repository of another server: a signed tree of records (atproto repository specification), built by the network's library. */
import type { Keypair } from '@atproto/crypto'
import type { Cid, LexMap } from '@atproto/lex-data'
import { BlockMap, blocksToCarFile, getFullRepo, MemoryBlockstore, MST, signCommit } from '@atproto/repo'
import { blockOf } from '../records/archive.ts'

/** A record at a key (`collection/rkey`), or its deletion if `record` is undefined. */
export interface RemoteWrite {
  readonly key: string
  readonly record?: LexMap | undefined
}

export interface RemoteHead {
  readonly cid: Cid
  readonly rev: string
  /** CID of the tree. */
  readonly data: Cid
}

/** An operation of a commit, as the event stream names it. */
export interface RemoteOp {
  readonly action: 'create' | 'update' | 'delete'
  readonly path: string
  readonly cid: Cid | null
  readonly prev?: Cid
}

/** A commit, and what its event contains. */
export interface RemoteCommit {
  readonly head: RemoteHead
  readonly since: RemoteHead | undefined
  readonly ops: readonly RemoteOp[]
  /** The commit, the nodes that prove the operations, and the new records. */
  readonly blocks: BlockMap
}

export class RemoteRepository {
  readonly storage = new MemoryBlockstore()
  readonly records = new Map<string, { readonly cid: Cid; readonly value: LexMap }>()
  head: RemoteHead | undefined
  readonly #did: string

  constructor(did: string) {
    this.#did = did
  }

  /** Returns a copy, which does not change with this one. @param did of its commits */
  fork(did: string = this.#did): RemoteRepository {
    const fork = new RemoteRepository(did)
    fork.head = this.head
    fork.storage.blocks.addMap(this.storage.blocks)
    for (const [key, record] of this.records) fork.records.set(key, record)
    return fork
  }

  /** Applies writes in one commit. */
  async commit(writes: readonly RemoteWrite[], key: Keypair, rev: string): Promise<RemoteCommit> {
    const since = this.head
    const blocks = new BlockMap()
    let tree = since ? MST.load(this.storage, since.data) : await MST.create(this.storage)
    const ops: RemoteOp[] = []
    for (const write of writes) {
      const op = this.#opOf(write, blocks)
      if (!op.cid) tree = await tree.delete(op.path)
      else tree = await (op.prev ? tree.update(op.path, op.cid) : tree.add(op.path, op.cid))
      ops.push(op)
    }
    const data = await tree.getPointer()
    await this.storage.putMany((await tree.getUnstoredBlocks()).blocks)
    for (const { path } of ops) blocks.addMap(await tree.getCoveringProof(path))
    const node = this.storage.blocks.get(data)
    if (node) blocks.set(data, node)
    const signed = await signCommit({ did: this.#did, version: 3, rev, prev: null, data }, key)
    const { cid, bytes } = blockOf({ ...signed })
    blocks.set(cid, bytes)
    await this.storage.putMany(blocks)
    this.head = { cid, rev, data }
    return { head: this.head, since, ops, blocks }
  }

  /** The commit and the path to a record, which may be absent, as `sync.getRecord` sends them. */
  async proof(key: string): Promise<Uint8Array> {
    const { cid, data } = this.#existingHead()
    const path = await MST.load(this.storage, data).cidsForPath(key)
    const { blocks } = await this.storage.getBlocks([cid, ...path])
    return blocksToCarFile(cid, blocks)
  }

  /** The whole repository as a CAR file. */
  async archive(): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of getFullRepo(this.storage, this.#existingHead().cid)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** The block of the latest commit as a CAR file. */
  async commitBlock(): Promise<Uint8Array> {
    const { cid } = this.#existingHead()
    return blocksToCarFile(cid, (await this.storage.getBlocks([cid])).blocks)
  }

  #opOf({ key, record }: RemoteWrite, blocks: BlockMap): RemoteOp {
    const prev = this.records.get(key)?.cid
    if (!record) {
      if (!prev) throw new Error(`${key} does not exist`)
      this.records.delete(key)
      return { action: 'delete', path: key, cid: null, prev }
    }
    const { cid, bytes } = blockOf(record)
    blocks.set(cid, bytes)
    this.records.set(key, { cid, value: record })
    return prev ? { action: 'update', path: key, cid, prev } : { action: 'create', path: key, cid }
  }

  #existingHead(): RemoteHead {
    if (!this.head) throw new Error('The repository has no commit')
    return this.head
  }
}
