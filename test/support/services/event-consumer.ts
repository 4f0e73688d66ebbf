/**
 * A consumer of `subscribeRepos` as the synchronization rules of the network (Sync 1.1) want it: it verifies the signature of each
 * commit, undoes its operations on the tree, which must yield the tree before, and keeps the records of each repository.
 */
import { decode } from '@atproto/lex-cbor'
import type { Cid } from '@atproto/lex-data'
import { type BlockMap, MemoryBlockstore, MST, readCar, verifyCommitSig } from '@atproto/repo'
import { expect } from 'vitest'
import { type Listener, listening } from '../server/listener.ts'

interface Repository {
  rev: string

  readonly records: Map<string, string>
  data: string
}

/** Payloads have links as `Cid` objects. */
export interface Event {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: events of several shapes
  readonly payload: any
}

export class EventConsumer {
  readonly #keyOf: (did: string) => string
  readonly repositories = new Map<string, Repository>()
  readonly events: Event[] = []
  #listener: Listener | undefined

  /** @param keyOf returns the signing key of an account, a did:key */
  constructor(keyOf: (did: string) => string) {
    this.#keyOf = keyOf
  }

  /** Number of the last event. */
  get seq(): number {
    return this.events.at(-1)?.payload.seq ?? 0
  }

  /** Connects with the number of the last event as the cursor, 0 at first. */
  async connect(origin: string): Promise<void> {
    this.#listener = await listening(`${origin}/xrpc/com.atproto.sync.subscribeRepos?cursor=${this.seq}`)
  }

  /** Reads and verifies the next event. */
  async next(): Promise<Event> {
    const { header, payload } = (await this.#listener?.next()) ?? {}
    expect(header?.op, JSON.stringify(payload)).toBe(1)
    const event = { type: header?.t ?? '', payload }
    expect(payload.seq).toBeGreaterThan(this.seq)
    await this.#verify(event)
    this.events.push(event)
    return event
  }

  /** Reads events up to a number. */
  async until(seq: number): Promise<Event[]> {
    const from = this.events.length
    while (this.seq < seq) await this.next()
    return this.events.slice(from)
  }

  close(): void {
    this.#listener?.close()
  }

  async #verify({ type, payload }: Event): Promise<void> {
    if (type === '#commit') await this.#verifyCommit(payload)
    if (type === '#sync') await this.#verifySync(payload)
    if (type === '#account' && payload.status === 'deleted') this.repositories.delete(payload.did)
  }

  async #verifyCommit(event: Event['payload']): Promise<void> {
    const { repo, rev, since, prevData, ops, commit } = event
    const { data, blocks } = await this.#openCommit(repo, rev, event.blocks, commit)
    const known = this.repositories.get(repo)
    expect(since).toBe(known?.rev ?? null)
    expect(rev > (known?.rev ?? '')).toBe(true)
    expect(prevData && String(prevData)).toBe(known?.data)
    const records = known?.records ?? new Map<string, string>()
    for (const { action, path, cid, prev } of ops) {
      expect(action).toBe(cid ? (prev ? 'update' : 'create') : 'delete')
      expect(prev && String(prev)).toBe(records.get(path))
      if (cid) expect(blocks.has(cid)).toBe(true)
      if (cid) records.set(path, String(cid))
      else records.delete(path)
    }
    expect(await undone(blocks, data, ops)).toBe(known?.data ?? (await emptyTree()))
    this.repositories.set(repo, { rev, data: String(data), records })
  }

  async #verifySync({ did, rev, blocks }: Event['payload']): Promise<void> {
    const { data, blocks: read } = await this.#openCommit(did, rev, blocks)
    expect(read.size).toBe(1)
    const known = this.repositories.get(did)
    expect(rev >= (known?.rev ?? '')).toBe(true)
    // Without a change of the tree, a consumer keeps its records.
    const records = known?.data === String(data) ? known.records : new Map<string, string>()
    this.repositories.set(did, { rev, data: String(data), records })
  }

  /** Verifies the signed commit of an event. */
  async #openCommit(
    did: string,
    rev: string,
    car: Uint8Array,
    cid?: Cid,
  ): Promise<{ data: Cid; blocks: BlockMap }> {
    const { roots, blocks } = await readCar(car)
    expect(roots).toHaveLength(1)
    if (cid) expect(String(roots[0])).toBe(String(cid))
    const commit = decode(blocks.get(roots[0] as Cid) as Uint8Array) as Parameters<typeof verifyCommitSig>[0]
    expect(commit).toMatchObject({ did, rev, version: 3 })
    expect(await verifyCommitSig(commit, this.#keyOf(did))).toBe(true)
    return { data: commit.data, blocks }
  }
}

/** Undoes operations with the blocks of the event alone. Returns the CID of the tree before. */
async function undone(blocks: BlockMap, data: Cid, ops: Event['payload'][]): Promise<string> {
  let tree = MST.load(new MemoryBlockstore(blocks), data)
  for (const { path, cid, prev } of ops.toReversed()) {
    if (cid) expect(String(await tree.get(path))).toBe(String(cid))
    else expect(await tree.get(path)).toBe(null)
    if (!cid) tree = await tree.add(path, prev)
    else tree = prev ? await tree.update(path, prev) : await tree.delete(path)
  }
  return String(await tree.getPointer())
}

async function emptyTree(): Promise<string> {
  return String(await (await MST.create(new MemoryBlockstore())).getPointer())
}
