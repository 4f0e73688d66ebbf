/** Nodes of the Merkle search tree (atproto repository specification, "MST structure") as blocks in DAG-CBOR. */
import { hash } from 'node:crypto'
import { decode } from '@atproto/lex-cbor'
import { type Cid, ifCid, isPlainObject, type LexMap } from '@atproto/lex-data'
import { cidText } from '../../util/cid.ts'
import { CborWriter, linkBytes, textBytes } from './cbor-writer.ts'
import { decodeMap } from './decode-map.ts'

/** A record or a lower node, in the order of the tree. CIDs are bytes. */
export type NodeEntry =
  | { readonly key: string; readonly record: Uint8Array }
  | { readonly key?: never; readonly node: Uint8Array }

/** As `NodeEntry`, CIDs as text. */
export type TreeItem =
  | { readonly key: string; readonly record: string }
  | { readonly key?: never; readonly node: string }

interface NodeData {
  readonly l: Cid | null
  /** A key is the first `p` bytes of the previous one, then `k`. */
  readonly e: readonly { p: number; k: Uint8Array; v: Cid; t: Cid | null }[]
}

/** Decodes a node. @param bytes of a node that this server wrote or verified */
export function decodeNode(bytes: Uint8Array): NodeEntry[] {
  const { l, e } = decode(bytes) as unknown as NodeData
  const entries: NodeEntry[] = l ? [{ node: l.bytes }] : []
  let last = ''
  for (const { p, k, v, t } of e) {
    last = last.slice(0, p) + Buffer.from(k.buffer, k.byteOffset, k.length).toString('latin1')
    entries.push({ key: last, record: v.bytes })
    if (t) entries.push({ node: t.bytes })
  }
  return entries
}

/** In characters (atproto repository specification, "Repository Data Structure"). Nodes could multiply the length of longer ones. */
const maxKeyLength = 1024

/**
 * Decodes a node of another server; undefined if it is malformed. Whether its keys are in order and compressed
 * is not checked: `encodeNode` then returns other bytes.
 */
export function parseNode(bytes: Uint8Array): NodeEntry[] | undefined {
  const { l = null, e } = decodeMap(bytes) ?? {}
  const first = linkOf(l)
  if (first === undefined || !Array.isArray(e)) return undefined
  const entries: NodeEntry[] = first ? [{ node: first }] : []
  let last = ''
  for (const value of e) {
    const { p, k, v, t = null } = isPlainObject(value) ? (value as LexMap) : {}
    const [record, node] = [linkOf(v), linkOf(t)]
    if (!record || node === undefined || !(k instanceof Uint8Array)) return undefined
    if (typeof p !== 'number' || p < 0 || p + k.length > maxKeyLength) return undefined
    last = last.slice(0, p) + Buffer.from(k.buffer, k.byteOffset, k.length).toString('latin1')
    entries.push({ key: last, record })
    if (node) entries.push({ node })
  }
  return entries
}

/** Returns the bytes of a CID of the usual form, null for null, and undefined for everything else. */
function linkOf(value: unknown): Uint8Array | null | undefined {
  if (value === null) return null
  const bytes = ifCid(value)?.bytes
  return bytes?.length === cidLength ? bytes : undefined
}

/** Returns the layer of a key: leading zeros of its SHA-256, counted in pairs of bits. */
export function layerOf(key: string): number {
  const digest = hash('sha256', key, 'buffer')
  const zeroBytes = digest.findIndex((byte) => byte !== 0)
  return 4 * zeroBytes + Math.floor(Math.clz32((digest[zeroBytes] ?? 0) << 24) / 2)
}

/** Decodes a node, CIDs as text. @param bytes of a node that this server wrote or verified */
export function itemsOf(bytes: Uint8Array): TreeItem[] {
  return decodeNode(bytes).map((entry) =>
    entry.key === undefined
      ? { node: cidText(entry.node) }
      : { key: entry.key, record: cidText(entry.record) },
  )
}

const cidLength = 36

/** @param entries CIDs of the usual form: 36 bytes */
export function encodeNode(entries: readonly NodeEntry[]): Uint8Array {
  const records = entries.filter(({ key }) => key !== undefined).length
  const most = entries.reduce((sum, { key = '' }) => sum + textBytes(key) + 2 * linkBytes + 24, 64)
  const writer = new CborWriter(most).map(2).ascii('e').array(records)
  let last = ''
  for (const [index, entry] of entries.entries()) {
    if (entry.key === undefined) continue
    const shared = sharedLength(last, entry.key)
    writer.map(4).ascii('k').asciiBytes(entry.key.slice(shared)).ascii('p').integer(shared)
    writeNode(writer.ascii('t'), entries[index + 1])
    writer.ascii('v').link(entry.record)
    last = entry.key
  }
  return writeNode(writer.ascii('l'), entries[0]).finish()
}

/** Writes the link to a lower node; null for a record, or nothing. */
function writeNode(writer: CborWriter, entry: NodeEntry | undefined): CborWriter {
  return entry && entry.key === undefined ? writer.link(entry.node) : writer.null()
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

/** Returns collection and record key of a key in a tree. */
export function splitKey(key: string): { collection: string; rkey: string } {
  const slash = key.indexOf('/')
  return { collection: key.slice(0, slash), rkey: key.slice(slash + 1) }
}
