/** What malicious and broken servers send: events that prove nothing, messages that are no events, responses that harm. */
import { P256Keypair } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { BlockMap } from '@atproto/repo'
import { blockOf } from '../records/archive.ts'
import { commitEvent, type RemoteEvent } from './remote-frames.ts'
import type { RemoteAccount, RemoteServer, Respond } from './remote-server.ts'

/** A record, and the account that it is said to be of. */
export interface Forgery {
  readonly server: RemoteServer
  readonly author: RemoteAccount
  readonly key: string
  readonly record: LexMap
}

/** Commits that do not prove what their operations claim. None changes the repository of the author. */
export const forgedCommits: Readonly<Record<string, (forgery: Forgery) => Promise<RemoteEvent>>> = {
  'signed by another key': async ({ server, author, key, record }) => {
    const otherKey = await P256Keypair.create()
    const fork = author.repository.fork()
    return commitEvent(author.did, await fork.commit([{ key, record }], otherKey, server.tid()))
  },

  'of another repository': async ({ server, author, key, record }) => {
    const other = await server.account(`other-${server.tid().slice(-6)}`)
    const fork = author.repository.fork(other.did)
    return commitEvent(author.did, await fork.commit([{ key, record }], other.key, server.tid()))
  },

  'with a record that is not in its tree': async ({ server, author, key, record }) => {
    const commit = await author.repository.fork().commit([], author.key, server.tid())
    const { cid, bytes } = blockOf(record)
    commit.blocks.set(cid, bytes)
    return commitEvent(author.did, { ...commit, ops: [{ action: 'create', path: key, cid }] })
  },

  'with another record than its tree has': async ({ server, author, key, record }) => {
    const honest = { ...record, forged: true }
    const commit = await author.repository.fork().commit([{ key, record: honest }], author.key, server.tid())
    const { cid, bytes } = blockOf(record)
    const blocks = new BlockMap(commit.blocks)
    blocks.delete(blockOf(honest).cid).set(cid, bytes)
    return commitEvent(author.did, { ...commit, blocks, ops: [{ action: 'create', path: key, cid }] })
  },

  'without the nodes that prove its record': async ({ server, author, key, record }) => {
    const commit = await author.repository.fork().commit([{ key, record }], author.key, server.tid())
    const { cid, bytes } = blockOf(record)
    const commitBlock = commit.blocks.get(commit.head.cid) as Uint8Array
    const blocks = new BlockMap([
      [commit.head.cid, commitBlock],
      [cid, bytes],
    ])
    return commitEvent(author.did, { ...commit, blocks })
  },

  'with blocks that are no archive': async ({ server, author, key, record }) => {
    const commit = await author.repository.fork().commit([{ key, record }], author.key, server.tid())
    return commitEvent(author.did, commit, { blocks: Buffer.from('no archive') })
  },

  'with a block of another hash': async ({ server, author, key, record }) => {
    const honest = { ...record, forged: true }
    const commit = await author.repository.fork().commit([{ key, record: honest }], author.key, server.tid())
    const blocks = new BlockMap(commit.blocks)
    blocks.set(blockOf(honest).cid, blockOf(record).bytes)
    return commitEvent(author.did, { ...commit, blocks })
  },
}

/** A signed commit of the author that claims to delete a record which its tree has. */
export async function forgedDeletion(
  server: RemoteServer,
  author: RemoteAccount,
  key: string,
): Promise<RemoteEvent> {
  const record = author.repository.records.get(key)
  if (!record) throw new Error(`${key} does not exist`)
  const commit = await author.repository.fork().commit([], author.key, server.tid())
  const blocks = new BlockMap(commit.blocks).addMap(author.repository.storage.blocks)
  return commitEvent(author.did, {
    ...commit,
    blocks,
    ops: [{ action: 'delete', path: key, cid: null, prev: record.cid }],
  })
}

/** Messages after which a connection is of no use. */
export const brokenMessages: Readonly<Record<string, () => Uint8Array | string>> = {
  'a text message': () => '{"op":1,"t":"#commit"}',
  'bytes that are not CBOR': () => Buffer.alloc(100, 0xff),
  'a header alone': () => Buffer.from(encode({ op: 1, t: '#commit' })),
  'a frame of 6 MB': () =>
    Buffer.concat([encode({ op: 1, t: '#commit' }), encode({ seq: 1, blocks: new Uint8Array(6_000_000) })]),
}

export const hangs: Respond = () => {}

export const redirects =
  (location: string): Respond =>
  (res) => {
    res.writeHead(302, { location }).end()
  }

export const answers =
  (body: unknown, status = 200): Respond =>
  (res) => {
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

/** Sends bytes without an end. */
export const sendsForever: Respond = (res) => {
  res.writeHead(200, { 'content-type': 'application/octet-stream' })
  const chunk = Buffer.alloc(65_536, ' ')
  const send = () => {
    while (!res.destroyed && res.write(chunk));
    if (!res.destroyed) res.once('drain', send)
  }
  send()
}
