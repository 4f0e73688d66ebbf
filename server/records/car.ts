/** Writes CAR files (version 1). Each block follows its length as an unsigned varint (LEB128). */
import { encode } from '@atproto/lex-cbor'
import { parseCid } from '@atproto/lex-data'
import { cidBytes } from '../store/cid.ts'
import type { Block } from '../store/tables/repos.ts'

export const carType = 'application/vnd.ipld.car'

/** Yields the file in parts. @param root undefined for blocks without an order */
export function* carParts(root: string | undefined, blocks: Iterable<Block>): Generator<Uint8Array> {
  const header = encode({ version: 1, roots: root === undefined ? [] : [parseCid(root)] })
  yield varint(header.length)
  yield header
  for (const block of blocks) {
    const cid = cidBytes(block.cid)
    yield varint(cid.length + block.bytes.length)
    yield cid
    yield block.bytes
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.of(...bytes, rest)
}
