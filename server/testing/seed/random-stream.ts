/** Random bytes that follow from a seed. */
import { createHmac } from 'node:crypto'

/** Returns the next bytes of a stream. */
export type RandomStream = (size: number) => Buffer

/**
 * Creates the stream of a seed and a kind of values: HMAC-SHA256 with the seed as its key, over the kind and a counter. Streams of other
 * kinds are independent: a value that is drawn from one changes none of the others.
 */
export function createRandomStream(seed: string, kind: string): RandomStream {
  let block = 0
  let rest: Buffer = Buffer.alloc(0)
  return (size) => {
    const parts = [rest]
    for (let length = rest.length; length < size; length += 32) {
      parts.push(createHmac('sha256', seed).update(`${kind}:${block++}`).digest())
    }
    const all = Buffer.concat(parts)
    rest = all.subarray(size)
    return all.subarray(0, size)
  }
}

/** Returns a number from 0 up to 1. */
export function fractionOf(stream: RandomStream): number {
  return stream(4).readUInt32BE() / 2 ** 32
}
