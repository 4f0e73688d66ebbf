/** CAR files (version 1) of a few blocks. */
import { parseCid } from '@atproto/lex-data'
import { type CarBlock, writeCarStream } from '@atproto/repo'

/** Returns blocks as a response. @param root undefined for blocks without an order */
export async function carOf(root: string | undefined, blocks: readonly CarBlock[]) {
  const parts: Uint8Array[] = []
  const source = async function* () {
    yield* blocks
  }
  for await (const part of writeCarStream(root === undefined ? null : parseCid(root), source()))
    parts.push(part)
  return { encoding: 'application/vnd.ipld.car' as const, body: Buffer.concat(parts) }
}
