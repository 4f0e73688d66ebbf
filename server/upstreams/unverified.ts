/** Reads records of a commit before it is verified: enough to decide that it is not worth it, never to store them. */
import { blocksIn, InvalidCar } from '../records/read-car.ts'
import { cidKey } from '../store/cid.ts'

/**
 * Returns the blocks with some CIDs from a CAR file, which is read once. No hash is verified.
 * @returns a function that returns the block with a CID; undefined if the file lacks it or is damaged
 */
export function findBlocks(
  car: Buffer,
  cids: readonly Uint8Array[],
): (cid: Uint8Array) => Buffer | undefined {
  const wanted = new Set(cids.map(cidKey))
  const found = new Map<string, Buffer>()
  try {
    for (const { cid, bytes } of blocksIn(car)) if (wanted.has(cidKey(cid))) found.set(cidKey(cid), bytes)
  } catch (error) {
    if (!(error instanceof InvalidCar)) throw error
  }
  return (cid) => found.get(cidKey(cid))
}
