/** Reads records of a commit before it is verified: only to decide whether verifying it is worthwhile. Unverified records are never stored. */

import { type CarBlock, InvalidCar, readBlocks } from '../../repository/format/read-car.ts'
import { cidKey } from '../../util/cid.ts'

/**
 * Returns the blocks with some CIDs from a CAR file, which is read once. No hash is verified.
 * @returns a function that returns the block with a CID; undefined if the file lacks it or is damaged
 */
export async function findBlocks(
  car: Buffer,
  cids: readonly Uint8Array[],
): Promise<(cid: Uint8Array) => Buffer | undefined> {
  const found = await readBlocks(car, new Set(cids.map(cidKey))).catch((error: unknown) => {
    if (error instanceof InvalidCar) return new Map<string, CarBlock>()
    throw error
  })
  return (cid) => found.get(cidKey(cid))?.bytes
}
