/** Writes CAR files (version 1). Each block follows its length. */
import { cidBytes } from '../../util/cid.ts'
import type { Block } from './block.ts'
import { CborWriter, linkBytes } from './cbor-writer.ts'

export const carType = 'application/vnd.ipld.car'

/** Yields a file in small parts. @param root CID of the first block that readers look for; undefined for blocks without an order */
function* carParts(root: string | undefined, blocks: Iterable<Block>): Generator<Uint8Array> {
  yield* carHeader(root)
  for (const block of blocks) yield* carSection(block)
}

/** Returns the parts of the header of a file. */
export function carHeader(root: string | undefined): Uint8Array[] {
  const header = encodeHeader(root)
  return [varint(header.length), header]
}

/** Returns the parts of a block in a file. */
export function carSection({ cid, bytes }: Block): Uint8Array[] {
  const key = cidBytes(cid)
  return [varint(key.length + bytes.length), key, bytes]
}

function encodeHeader(root: string | undefined): Uint8Array {
  const writer = new CborWriter(linkBytes + 32).map(2).ascii('roots')
  if (root === undefined) writer.array(0)
  else writer.array(1).link(cidBytes(root))
  return writer.ascii('version').integer(1).finish()
}

/** Returns a file of a few blocks. */
export function carFile(root: string | undefined, blocks: Iterable<Block>): Uint8Array {
  return Buffer.concat([...carParts(root, blocks)])
}

/** Returns a few blocks as the output of a method. */
export function carOutput(root: string | undefined, blocks: Iterable<Block>) {
  return { encoding: carType, body: carFile(root, blocks) } as const
}

/** Encodes a length: seven bits a byte, the lowest first (unsigned LEB128). */
function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return Uint8Array.of(...bytes, rest)
}
