/**
 * Encodes segments one after another into the same memory: with new memory for each, megabytes of garbage would wait for the next
 * major collection.
 */
import { CborWriter, textBytes } from '../format/cbor-writer.ts'
import type { ArchivedEvent } from './segment-files.ts'

export type EventBatches = Iterable<readonly ArchivedEvent[]> | AsyncIterable<readonly ArchivedEvent[]>

export interface SegmentEncoder {
  /**
   * Encodes events as an array in DAG-CBOR.
   * @param use gets the content, which is valid until its promise is settled
   */
  encode<Result>(batches: EventBatches, use: (content: Uint8Array) => Promise<Result>): Promise<Result>
}

/** Bytes before the items, for the head of the array: its length is known last. */
const headRoom = 9
/** Bytes of an event besides its DID and its frame, at most. */
const otherBytes = 64

export function createSegmentEncoder(): SegmentEncoder {
  /** Not in use by another call. */
  let spare = Buffer.alloc(headRoom)

  return {
    async encode(batches, use) {
      let into = spare
      spare = Buffer.alloc(headRoom)
      let end = headRoom
      let length = 0
      for await (const batch of batches) {
        const most = batch.reduce((sum, event) => sum + mostBytes(event), 0)
        if (end + most > into.length) into = grow(into, end, most)
        const writer = new CborWriter(into.subarray(end))
        for (const event of batch) write(writer, event)
        end += writer.length
        length += batch.length
      }
      const head = new CborWriter(headRoom).array(length).finish()
      const start = headRoom - head.length
      into.set(head, start)
      try {
        return await use(into.subarray(start, end))
      } finally {
        spare = into
      }
    },
  }
}

function mostBytes({ did, frame }: ArchivedEvent): number {
  return textBytes(did) + frame.length + otherBytes
}

/** Returns more memory with the bytes up to `end`. */
function grow(from: Buffer, end: number, more: number): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(Math.max(end + more, 2 * from.length))
  from.copy(larger, 0, 0, end)
  return larger
}

/** The keys of a map in DAG-CBOR are in the order of their lengths, then of their bytes. */
function write(writer: CborWriter, { seq, kind, did, frame }: ArchivedEvent): void {
  writer.map(4).ascii('did').text(did).ascii('seq').integer(seq)
  writer.ascii('kind').ascii(kind).ascii('frame').bytes(frame)
}
