/** CAR files (version 1) of a few blocks, in memory. Whole repositories are streamed; see `export.ts`. */
import { encode } from '@atproto/lex-cbor'
import { parseCid } from '@atproto/lex-data'
import { cidBytes } from '../store/cid.ts'
import type { Block } from '../store/tables/repos.ts'

/** @param root CID of the first block that readers look for */
export function carFile(root: string, blocks: Iterable<Block>): Uint8Array {
  const header = encode({ version: 1, roots: [parseCid(root)] })
  const parts: Uint8Array[] = [varint(header.length), header]
  for (const { cid, bytes } of blocks) {
    const id = cidBytes(cid)
    parts.push(varint(id.length + bytes.length), id, bytes)
  }
  return Buffer.concat(parts)
}

/** Encodes a length: seven bits a byte, the lowest first (unsigned LEB128). */
function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return Uint8Array.of(...bytes, rest)
}
