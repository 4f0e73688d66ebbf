/** Reads records of a commit before it is verified: enough to decide that it is not worth it, never to store them. */
import { blocksIn, InvalidCar } from '../records/read-car.ts'

/**
 * Returns the block with a CID from a CAR file. No hash is verified.
 * @returns undefined if the file lacks it or is damaged
 */
export function findBlock(car: Buffer, cid: Uint8Array): Buffer | undefined {
  try {
    for (const block of blocksIn(car)) if (block.cid.equals(cid)) return block.bytes
  } catch (error) {
    if (!(error instanceof InvalidCar)) throw error
  }
  return undefined
}
