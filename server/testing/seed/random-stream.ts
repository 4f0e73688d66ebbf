/** Random bytes that follow from a seed. */
import { createHmac } from 'node:crypto'

/** Of SHA-256. */
const blockBytes = 32

/** Returns the next bytes of a stream. */
export interface RandomStream {
  (size: number): Buffer
  /** How many bytes were returned. */
  position: number
}

/**
 * Creates the stream of a seed and a kind of values: HMAC-SHA256 with the seed as its key, over the kind and a counter. Streams of other
 * kinds are independent: a value that is drawn from one changes none of the others.
 */
export function createRandomStream(seed: string, kind: string): RandomStream {
  const blockAt = (index: number) => createHmac('sha256', seed).update(`${kind}:${index}`).digest()
  const stream = (size: number): Buffer => {
    const first = Math.floor(stream.position / blockBytes)
    const skipped = stream.position - first * blockBytes
    const blocks: Buffer[] = []
    while (blocks.length * blockBytes < skipped + size) blocks.push(blockAt(first + blocks.length))
    stream.position += size
    return Buffer.concat(blocks).subarray(skipped, skipped + size)
  }
  stream.position = 0
  return stream
}

/** Returns a number from 0 up to 1. */
export function fractionOf(stream: RandomStream): number {
  return stream(4).readUInt32BE() / 2 ** 32
}
