/** The frames of an event stream, as they were sent. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { decode, decodeAll } from '@atproto/lex-cbor'
import type { Cid } from '@atproto/lex-data'
import { type BlockMap, MemoryBlockstore, MST, readCar } from '@atproto/repo'
import WebSocket from 'ws'
import { poll } from './poll.ts'

export interface Op {
  readonly action: 'create' | 'update' | 'delete'
  readonly path: string
  readonly cid: Cid | null
  readonly prev?: Cid
}

export interface Frame {
  readonly type: string
  readonly header: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>> & {
    readonly seq: number
    readonly ops?: readonly Op[]
    readonly blocks?: Uint8Array
    readonly prevData?: Cid
  }
}

export class Frames {
  readonly #socket: WebSocket
  readonly #frames: Frame[] = []

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer) => {
      const [header, body] = [...decodeAll(data)] as [Frame['header'], Frame['body']]
      this.#frames.push({ type: String(header.t), header, body })
    })
  }

  static async open(server: string): Promise<Frames> {
    const socket = new WebSocket(`${server.replace('http', 'ws')}/xrpc/com.atproto.sync.subscribeRepos`)
    const frames = new Frames(socket)
    await once(socket, 'open')
    return frames
  }

  /** Returns the frames since the last call, once there are as many as expected. */
  async take(count: number): Promise<Frame[]> {
    const isComplete = () => this.#frames.length >= count || undefined
    await poll(isComplete, () => `${this.#frames.length} of ${count} frames were sent`)
    return this.#frames.splice(0)
  }

  close(): void {
    this.#socket.terminate()
  }
}

/** The blocks that come with an event: the commit, and the CIDs of the others. */
export async function blocksOf(frame: Frame) {
  const { roots, blocks } = await readCar(frame.body.blocks ?? new Uint8Array())
  const [root] = roots
  const bytes = root && blocks.get(root)
  assert.ok(bytes, 'the first root is the commit, which is among the blocks')
  const commit = decode(bytes) as Readonly<Record<string, unknown>> & { readonly data: Cid }
  const others = blocks
    .entries()
    .filter(({ cid }) => !cid.equals(root))
    .map(({ cid }) => cid.toString())
  return { commit, blocks, others: others.sort() }
}

/** Undoes the operations of a commit, with nothing but the blocks that came with it: Sync 1.1 has consumers do so. */
export async function assertInvertible(frame: Frame): Promise<void> {
  const { commit, blocks } = await blocksOf(frame)
  let tree = treeOf(blocks, commit.data)
  for (const { action, path, prev } of frame.body.ops?.toReversed() ?? []) {
    if (action === 'create') tree = await tree.delete(path)
    else if (action === 'delete') tree = await tree.add(path, required(prev))
    else tree = await tree.update(path, required(prev))
  }
  const before = await tree.getPointer()
  assert.equal(String(before), String(frame.body.prevData ?? before), 'undone operations lead to prevData')
}

function treeOf(blocks: BlockMap, root: Cid): MST {
  return MST.load(new MemoryBlockstore(blocks), root)
}

function required(prev: Cid | undefined): Cid {
  assert.ok(prev, 'updates and deletions name the previous CID')
  return prev
}
