/** Reads records of a commit before it is verified: enough to decide that it is not worth it, never to store them. */

/** Bytes of a CID with SHA-256: version, codec, hash function, length, 32 bytes. */
const cidBytes = 36

/**
 * Returns the block with a CID from a CAR file. No hash is verified.
 * @returns undefined if the file lacks it or is damaged
 */
export function findBlock(car: Buffer, cid: Uint8Array): Buffer | undefined {
  if (cid.length !== cidBytes) return undefined
  const header = readLength(car, 0)
  for (let at = header?.end ?? car.length; at < car.length; ) {
    const section = readLength(car, at)
    if (!section) return undefined
    const from = section.end - section.length
    if (car.compare(cid, 0, cidBytes, from, Math.min(from + cidBytes, car.length)) === 0) {
      return car.subarray(from + cidBytes, section.end)
    }
    at = section.end
  }
  return undefined
}

/** Reads the length of a section, a varint (LEB128). @returns also where the section ends */
function readLength(car: Buffer, at: number): { length: number; end: number } | undefined {
  let length = 0
  for (let index = 0; index < 4; index++) {
    const byte = car[at + index]
    if (byte === undefined) return undefined
    length += (byte & 127) * 128 ** index
    const end = at + index + 1 + length
    if (byte < 128) return length > 0 && end <= car.length ? { length, end } : undefined
  }
  return undefined
}
