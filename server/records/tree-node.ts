/** Nodes of the Merkle search tree (atproto repository specification, "MST structure"), for reading trees without changing them. */
import { decode } from '@atproto/lex-cbor'
import type { Cid } from '@atproto/lex-data'
import { cidText } from '../store/cid.ts'

/** A record or a lower node, in the order of the tree. */
export type TreeItem =
  | { readonly key: string; readonly record: string }
  | { readonly key?: never; readonly node: string }

interface NodeData {
  readonly l: Cid | null
  /** A key is the first `p` bytes of the previous one, then `k`. */
  readonly e: readonly { p: number; k: Uint8Array; v: Cid; t: Cid | null }[]
}

/** Returns what a node contains, CIDs as text. @param bytes of a node that this server wrote or verified */
export function itemsOf(bytes: Uint8Array): TreeItem[] {
  const { l, e } = decode(bytes) as unknown as NodeData
  const items: TreeItem[] = l ? [{ node: cidText(l.bytes) }] : []
  let last = Buffer.alloc(0)
  for (const { p, k, v, t } of e) {
    last = Buffer.concat([last.subarray(0, p), k])
    items.push({ key: last.toString('latin1'), record: cidText(v.bytes) })
    if (t) items.push({ node: cidText(t.bytes) })
  }
  return items
}

/** Returns collection and record key of a key in a tree. */
export function splitKey(key: string): { collection: string; rkey: string } {
  const slash = key.indexOf('/')
  return { collection: key.slice(0, slash), rkey: key.slice(slash + 1) }
}
