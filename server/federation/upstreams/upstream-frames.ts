/**
 * Reads the messages of `com.core.sync.subscribeRepos` (Sync 1.1 of the atproto specification): first the part that decides whether one
 * concerns this server, later the rest.
 */
import { decode } from '@atproto/lex-cbor'
import { type Cid, ifCid, isPlainObject, type LexValue } from '@atproto/lex-data'
import { isValidTid } from '@atproto/syntax'
import { type RemoteStatus, remoteStatusOf } from '../remote/remote-status.ts'
import { CborReader, InvalidCbor } from './cbor.ts'

export type FrameKind = 'commit' | 'sync' | 'identity' | 'account'

/** A message that has been read so far as needed to decide whether it concerns this server. */
export interface Frame {
  readonly kind: FrameKind
  readonly seq: number
  /** DID of the repository, as the source states it. */
  readonly did: string
  /** When it happened, as the source states it: a text that may be none of a time. */
  readonly time: string
  /** The CAR file of a commit; empty for other kinds. Part of `bytes`. */
  readonly blocks: Buffer
  /** The whole message. */
  readonly bytes: Buffer
  /** Offset of the payload. */
  readonly payloadAt: number
}

/** A message without a number. */
export type Notice =
  | { readonly kind: 'info'; readonly name: string }
  | { readonly kind: 'error'; readonly name: string }

/** An event of a kind that is not used here. */
export interface OtherFrame {
  readonly kind: 'other'
  readonly seq: number | undefined
}

/** The message is not as the protocol wants it. */
export class InvalidFrame extends Error {
  override name = 'InvalidFrame'
}

const kinds: Readonly<Record<string, FrameKind | 'info'>> = {
  '#commit': 'commit',
  '#sync': 'sync',
  '#identity': 'identity',
  '#account': 'account',
  '#info': 'info',
}

const none = Buffer.alloc(0)

/** Bytes of a message that is no event. */
const maxNoticeBytes = 10_000
/** Characters of a DID, of a time, and of the path of a record (atproto specifications of DIDs and of repositories). */
const maxLengths = { did: 2048, time: 64, path: 1024 }

/** @throws InvalidFrame */
export function readFrame(bytes: Buffer): Frame | Notice | OtherFrame {
  try {
    const reader = new CborReader(bytes)
    const { op, t } = readHeader(reader)
    if (op === -1) return { kind: 'error', name: noticeName(bytes, reader.at, 'error') }
    const kind = op === 1 ? kinds[t] : undefined
    if (kind === 'info') return { kind, name: noticeName(bytes, reader.at, 'name') }
    return readEvent(bytes, reader, kind)
  } catch (error) {
    if (error instanceof InvalidCbor) throw new InvalidFrame(error.message)
    throw error
  }
}

function readHeader(reader: CborReader): { op: number; t: string } {
  let op = 0
  let t = ''
  for (let left = reader.map(); left > 0; left--) {
    const name = reader.text()
    if (name === 'op') op = reader.integer()
    else if (name === 't') t = reader.text()
    else reader.skip()
  }
  return { op, t }
}

/** @param kind undefined for one that is not used here */
function readEvent(bytes: Buffer, reader: CborReader, kind: FrameKind | undefined): Frame | OtherFrame {
  const payloadAt = reader.at
  let seq: number | undefined
  let did: string | undefined
  let time = ''
  let blocks: Buffer = none
  for (let left = reader.map(); left > 0; left--) {
    const name = reader.text()
    if (name === 'seq') seq = reader.integer()
    else if (kind === undefined) reader.skip()
    else if (name === (kind === 'commit' ? 'repo' : 'did')) did = reader.text()
    else if (name === 'time') time = reader.text()
    else if (name === 'blocks' && kind === 'commit') blocks = reader.bytes()
    else reader.skip()
  }
  if (kind === undefined) return { kind: 'other', seq }
  if (seq === undefined || did === undefined) throw new InvalidFrame('An event lacks its number or its DID')
  if (did.length > maxLengths.did) throw new InvalidFrame('A DID is too long')
  if (time.length > maxLengths.time) throw new InvalidFrame('A time is too long')
  return { kind, seq, did, time, blocks, bytes, payloadAt }
}

function noticeName(bytes: Buffer, at: number, member: string): string {
  if (bytes.length > maxNoticeBytes) throw new InvalidFrame('A message that is no event is too large')
  const name = decodeMap(bytes.subarray(at))[member]
  return typeof name === 'string' ? name.slice(0, 100) : ''
}

export interface OpClaim {
  readonly action: string
  readonly path: string
  /** CID of the record; undefined if it was deleted. */
  readonly cid: Cid | undefined
}

/** The changes that a commit claims. */
export interface CommitClaim {
  /** `collection/rkey` with whether the record was created, changed or deleted. */
  readonly ops: readonly OpClaim[]
  /** The blocks are missing: the repository must be read. */
  readonly isTooBig: boolean
}

/** Commits have at most 200 operations; earlier ones had more, up to this many. */
const maxOps = 1000

/** @throws InvalidFrame */
export function readCommit({ bytes, payloadAt }: Frame): CommitClaim {
  const { ops, tooBig } = decodeMap(bytes.subarray(payloadAt))
  if (!Array.isArray(ops) || ops.length > maxOps) throw new InvalidFrame('A commit lacks its operations')
  return { ops: ops.map(readOp), isTooBig: tooBig === true }
}

/**
 * Returns the changes that a commit claims; undefined if it lacks them, or for an invalid event, which is counted when it is verified.
 */
export function claimedOps(frame: Frame): readonly OpClaim[] | undefined {
  try {
    const { ops, isTooBig } = readCommit(frame)
    return isTooBig ? undefined : ops
  } catch (error) {
    if (error instanceof InvalidFrame) return undefined
    throw error
  }
}

function readOp(op: LexValue): OpClaim {
  const { action, path, cid } = isPlainObject(op) ? (op as Readonly<Record<string, LexValue>>) : {}
  if (typeof action !== 'string' || typeof path !== 'string')
    throw new InvalidFrame('An operation lacks its path')
  if (path.length > maxLengths.path) throw new InvalidFrame('The path of an operation is too long')
  return { action, path, cid: ifCid(cid) ?? undefined }
}

/** A revision of a repository, and the one before; undefined where the event states none. */
export interface RevisionClaim {
  readonly rev: string | undefined
  /** Undefined for the first one, and for an event that does not follow another one. */
  readonly since: string | undefined
}

/** Reads the revisions of an event. Undefined for revisions that are not TIDs, and for damaged events, which fail verification later. */
export function readRevisions({ kind, bytes, payloadAt }: Frame): RevisionClaim {
  const claim: { [Name in 'rev' | 'since']: string | undefined } = { rev: undefined, since: undefined }
  if (kind !== 'commit' && kind !== 'sync') return claim
  const reader = new CborReader(bytes, payloadAt)
  for (let left = reader.map(); left > 0; left--) {
    const name = reader.text()
    if (name === 'rev' || name === 'since') claim[name] = tidOf(reader.textIfAny())
    else reader.skip()
  }
  return claim
}

const tidOf = (text: string | undefined) => (text !== undefined && isValidTid(text) ? text : undefined)

/** Returns the signed commit of a `#sync`, as a CAR file. @throws InvalidFrame */
export function readSync({ bytes, payloadAt }: Frame): Uint8Array {
  const { blocks } = decodeMap(bytes.subarray(payloadAt))
  if (!(blocks instanceof Uint8Array)) throw new InvalidFrame('A sync event lacks its commit')
  return blocks
}

/** Returns the status that an `#account` states; undefined for an active account. @throws InvalidFrame */
export function readAccount({ bytes, payloadAt }: Frame): RemoteStatus | undefined {
  const { active, status } = decodeMap(bytes.subarray(payloadAt))
  if (typeof active !== 'boolean') throw new InvalidFrame('An account event lacks its status')
  return active ? undefined : remoteStatusOf(status)
}

/** @throws InvalidFrame */
function decodeMap(bytes: Uint8Array): Readonly<Record<string, LexValue>> {
  let value: LexValue
  try {
    value = decode(bytes)
  } catch (cause) {
    throw new InvalidFrame('A message is not valid DAG-CBOR', { cause })
  }
  if (!isPlainObject(value)) throw new InvalidFrame('A message is not a map')
  return value as Readonly<Record<string, LexValue>>
}
