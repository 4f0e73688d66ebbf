/**
 * The messages of `com.core.sync.subscribeRepos` (Sync 1.1 of the atproto specification), encoded for sending. Members whose names
 * end in `Cid` are text here, and links in the message.
 */
import { encode } from '@atproto/lex-cbor'
import type { AccountStatus } from '../../store/tables/account-status.ts'
import { cidBytes } from '../../util/cid.ts'
import { iso } from '../../util/time.ts'
import type { Block } from '../format/block.ts'
import { carFile } from '../format/car.ts'
import { CborWriter, linkBytes, textBytes } from '../format/cbor-writer.ts'
import type { EventKind } from '../tables/events.ts'

/** Changes of one commit, and bytes of its blocks: the limits of readers of the event stream (atproto synchronization, `#commit`). */
export const maxChanges = 200
export const maxBlockBytes = 2_000_000

/** The change of one record. */
export interface RecordOp {
  /** `collection/rkey` */
  readonly key: string
  /** CID of the record; undefined if it was deleted. */
  readonly cid: string | undefined
  /** CID of the record before; undefined if it was created. */
  readonly prev: string | undefined
}

/** A commit as an event. */
export interface CommitEvent {
  readonly did: string
  readonly commit: string
  readonly rev: string
  /** The commit before; undefined for the first one. */
  readonly since: { readonly rev: string; readonly tree: string } | undefined
  readonly ops: readonly RecordOp[]
  /** CAR file: the commit, the nodes of the tree around the changed keys, the new records. */
  readonly blocks: Uint8Array
}

/** Members that all events have. */
interface Event {
  readonly seq: number
  readonly at: Date
}

export function commitFrame({ seq, at }: Event, event: CommitEvent): Uint8Array {
  const { did, commit, rev, since, ops, blocks } = event
  const most = ops.reduce((sum, { key }) => sum + textBytes(key) + 2 * linkBytes + 64, 512)
  const writer = new CborWriter(most + textBytes(did) + blocks.length)
  writer.append(headers.commit).map(since ? 12 : 11)
  writer.ascii('ops').array(ops.length)
  for (const op of ops) writeOp(writer, op)
  writer.ascii('rev').ascii(rev).ascii('seq').integer(seq)
  writer.ascii('repo').text(did).ascii('time').ascii(iso(at))
  writer.ascii('blobs').array(0).ascii('since')
  if (since) writer.ascii(since.rev)
  else writer.null()
  writer.ascii('blocks').bytes(blocks).ascii('commit').link(cidBytes(commit))
  writer.ascii('rebase').boolean(false).ascii('tooBig').boolean(false)
  if (since) writer.ascii('prevData').link(cidBytes(since.tree))
  return writer.finish()
}

function writeOp(writer: CborWriter, { key, cid, prev }: RecordOp): void {
  writer.map(prev === undefined ? 3 : 4).ascii('cid')
  if (cid === undefined) writer.null()
  else writer.link(cidBytes(cid))
  writer.ascii('path').text(key)
  if (prev !== undefined) writer.ascii('prev').link(cidBytes(prev))
  writer.ascii('action').ascii(cid === undefined ? 'delete' : prev === undefined ? 'create' : 'update')
}

/** @param commit the block of the latest commit */
export function syncFrame({ seq, at }: Event, did: string, rev: string, commit: Block): Uint8Array {
  return frame('sync', { seq, time: iso(at), did, rev, blocks: carFile(commit.cid, [commit]) })
}

export function identityFrame({ seq, at }: Event, did: string, handle: string): Uint8Array {
  return frame('identity', { seq, time: iso(at), did, handle })
}

/** @param status undefined for an active account */
export function accountFrame(
  { seq, at }: Event,
  did: string,
  status: AccountStatus | 'deleted' | undefined,
): Uint8Array {
  const activity = status === undefined ? { active: true } : { active: false, status }
  return frame('account', { seq, time: iso(at), did, ...activity })
}

const headers: Readonly<Record<EventKind, Uint8Array>> = {
  commit: encode({ op: 1, t: '#commit' }),
  sync: encode({ op: 1, t: '#sync' }),
  identity: encode({ op: 1, t: '#identity' }),
  account: encode({ op: 1, t: '#account' }),
}

function frame(kind: EventKind, payload: Parameters<typeof encode>[0]): Uint8Array {
  return Buffer.concat([headers[kind], encode(payload)])
}
