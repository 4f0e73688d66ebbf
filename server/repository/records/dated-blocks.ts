/**
 * The content of a copy of a repository: sections of a CAR file, each after its length and the revision that wrote it. So one
 * copy serves readers that have different revisions.
 */
import { carHeader, carSection } from '../format/car.ts'
import { type CommitBlock, isNewerThan } from './repository-blocks.ts'

/** Bytes of a TID. */
const revBytes = 13
const prefixBytes = 4 + revBytes
/** In place of a revision that is not known: later than all. */
const unknownRev = '~'.repeat(revBytes)

/** Yields the content of a copy in small parts. */
export function* encodeBlocks(blocks: Iterable<CommitBlock>): Generator<Uint8Array, void> {
  for (const block of blocks) {
    const section = carSection(block)
    const prefix = Buffer.allocUnsafe(prefixBytes)
    prefix.writeUInt32BE(section.reduce((sum, part) => sum + part.length, 0))
    prefix.write(block.rev ?? unknownRev, 4, 'latin1')
    yield prefix
    yield* section
  }
}

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Returns the CAR file of a copy. @param since leaves out blocks of this and earlier revisions */
export async function* carOf(
  commit: string,
  content: Chunks,
  since: string | undefined,
): AsyncGenerator<Uint8Array, void> {
  yield Buffer.concat(carHeader(commit))
  let rest: Uint8Array = new Uint8Array()
  for await (const chunk of content) {
    const bytes = Buffer.concat([rest, chunk])
    const { sections, end } = sectionsIn(bytes, since)
    rest = bytes.subarray(end)
    if (sections.length > 0) yield Buffer.concat(sections)
  }
}

/** Returns the wanted ones of the whole sections in `bytes`, and where the last section ends. */
function sectionsIn(bytes: Buffer, since: string | undefined): { sections: Uint8Array[]; end: number } {
  const sections: Uint8Array[] = []
  let end = 0
  while (bytes.length - end >= prefixBytes) {
    const start = end + prefixBytes
    const next = start + bytes.readUInt32BE(end)
    if (next > bytes.length) break
    const isWanted = since === undefined || isNewerThan(since, bytes.toString('latin1', end + 4, start))
    if (isWanted) sections.push(bytes.subarray(start, next))
    end = next
  }
  return { sections, end }
}
