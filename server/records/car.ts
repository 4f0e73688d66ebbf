/** CAR files (version 1) of a few blocks, in memory. Whole repositories are streamed; see `export.ts`. */
import { encode } from '@atproto/lex-cbor'
import { type Cid, parseCid } from '@atproto/lex-data'
import { cidBytes } from '../store/cid.ts'

interface CarBlock {
  readonly cid: string | Cid
  readonly bytes: Uint8Array
}

/** @param root CID of the first block that readers look for; undefined for blocks without an order */
export function carFile(root: string | undefined, blocks: Iterable<CarBlock>): Uint8Array {
  const header = encode({ version: 1, roots: root === undefined ? [] : [parseCid(root)] })
  const parts: Uint8Array[] = [varint(header.length), header]
  for (const { cid, bytes } of blocks) {
    const id = typeof cid === 'string' ? cidBytes(cid) : cid.bytes
    parts.push(varint(id.length + bytes.length), id, bytes)
  }
  return Buffer.concat(parts)
}

/** Returns blocks as the output of a method. */
export function carOutput(root: string | undefined, blocks: Iterable<CarBlock>) {
  return { encoding: 'application/vnd.ipld.car' as const, body: carFile(root, blocks) }
}

/** Encodes a length: seven bits a byte, the lowest first (unsigned LEB128). */
function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return Uint8Array.of(...bytes, rest)
}
