/**
 * The staged file of an import: the verified nodes and records in the order in which they are stored, so that the server reads it
 * from start to end. Each entry: length of the key (2 bytes; 0 for a node), length of the content (4 bytes), whether and why the
 * index omits the record (1 byte), key, CID, content.
 */
import { type Files, writeFully } from '../../../store/files/files.ts'
import type { OmissionReason } from '../../tables/omitted-records.ts'

export interface StagedEntry {
  /** `collection/rkey` of a record; empty for a node of the tree. */
  readonly key: string
  readonly cid: Uint8Array
  readonly bytes: Uint8Array
  /** Why the index cannot have the record. */
  readonly omission: OmissionReason | undefined
}

const headBytes = 7
const omissions: readonly StagedEntry['omission'][] = [undefined, 'integer', 'key']
const cidBytes = 36
const bufferBytes = 1024 * 1024

export interface StagedFileWriter {
  /** Adds an entry to the buffer. Call `flush` when the buffer is full, and after the last entry. */
  add(entry: StagedEntry): void
  readonly isFull: boolean
  /** Writes the buffer to the file. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Creates a staged file. */
export async function createStagedFile(files: Files, path: string): Promise<StagedFileWriter> {
  const file = await files.create(path)
  // The last entry may exceed what makes the buffer full.
  let buffer = Buffer.allocUnsafe(2 * bufferBytes)
  let used = 0
  let position = 0
  return {
    add({ key, cid, bytes, omission }) {
      const head = used
      const keyAt = head + headBytes
      const cidAt = keyAt + key.length
      used = cidAt + cidBytes + bytes.length
      if (used > buffer.length) buffer = Buffer.concat([buffer.subarray(0, head)], 2 * used)
      buffer.writeUInt16BE(key.length, head)
      buffer.writeUInt32BE(bytes.length, head + 2)
      buffer.writeUInt8(omissions.indexOf(omission), head + 6)
      buffer.write(key, keyAt, 'latin1')
      buffer.set(cid, cidAt)
      buffer.set(bytes, cidAt + cidBytes)
    },
    get isFull() {
      return used >= bufferBytes
    },
    async flush() {
      await writeFully(file, buffer.subarray(0, used), position)
      position += used
      used = 0
    },
    close: () => file.close(),
  }
}

/** Yields the entries of a staged file, as many at a time as were read together. */
export async function* readStagedFile(files: Files, path: string): AsyncGenerator<StagedEntry[]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of files.chunks(path)) {
    const content = Buffer.concat([rest, chunk])
    const entries: StagedEntry[] = []
    let at = 0
    for (let entry = parse(content, at); entry; entry = parse(content, at)) {
      entries.push(entry)
      at += headBytes + entry.key.length + cidBytes + entry.bytes.length
    }
    rest = content.subarray(at)
    if (entries.length > 0) yield entries
  }
}

/** Returns the entry at a position; undefined if it is not complete. */
function parse(content: Buffer, at: number): StagedEntry | undefined {
  if (at + headBytes > content.length) return undefined
  const keyEnd = at + headBytes + content.readUInt16BE(at)
  const cidEnd = keyEnd + cidBytes
  const end = cidEnd + content.readUInt32BE(at + 2)
  if (end > content.length) return undefined
  return {
    key: content.toString('latin1', at + headBytes, keyEnd),
    cid: content.subarray(keyEnd, cidEnd),
    bytes: content.subarray(cidEnd, end),
    omission: omissions[content.readUInt8(at + 6)],
  }
}
