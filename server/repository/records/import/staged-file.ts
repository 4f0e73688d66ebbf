/**
 * The staged file of an import: the verified nodes and records in the order in which they are stored, so that the server reads it
 * from start to end. Each entry: length of the key (2 bytes; 0 for a node), length of the content (4 bytes), whether and why the
 * index omits the record (1 byte), key, CID, content.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Files } from '../../../store/files/files.ts'
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
  write(entry: StagedEntry): void
  close(): void
}

/** Creates a staged file. Writes are synchronous, because a worker thread calls this. */
export function createStagedFile(path: string): StagedFileWriter {
  const fd = openSync(path, 'wx', 0o600)
  const buffer = Buffer.allocUnsafe(bufferBytes)
  let used = 0
  const flush = (): void => {
    writeAll(fd, buffer.subarray(0, used))
    used = 0
  }
  return {
    write({ key, cid, bytes, omission }) {
      const length = headBytes + key.length + cidBytes
      if (used + length > bufferBytes) flush()
      buffer.writeUInt16BE(key.length, used)
      buffer.writeUInt32BE(bytes.length, used + 2)
      buffer.writeUInt8(omissions.indexOf(omission), used + 6)
      buffer.write(key, used + headBytes, 'latin1')
      buffer.set(cid, used + headBytes + key.length)
      used += length
      if (used + bytes.length > bufferBytes) flush()
      if (bytes.length > bufferBytes) return writeAll(fd, bytes)
      buffer.set(bytes, used)
      used += bytes.length
    },
    close() {
      try {
        flush()
      } finally {
        closeSync(fd)
      }
    },
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
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
