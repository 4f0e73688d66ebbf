/**
 * The content of a file in memory, in chunks. Snapshots share the chunks: a disk changes a chunk in place if it has made it since its last
 * snapshot, and replaces it otherwise.
 */

/** Identifies a disk from one of its snapshots to the next. */
export type Owner = object

interface Chunk {
  /** May end before the chunk does: zeros follow. */
  readonly bytes: Uint8Array
  readonly owner: Owner
}

/** A file as a snapshot has it. */
export interface FrozenFile {
  /** Undefined for zeros. */
  readonly chunks: readonly (Chunk | undefined)[]
  readonly size: number
  readonly changedMs: number
}

const chunkBytes = 64 * 1024

export class MemoryFile {
  #chunks: (Chunk | undefined)[]
  /** The disk that may change the list of chunks in place. */
  #owner: Owner | undefined
  #size: number
  /** Time of the last content change. */
  changedMs: number

  constructor({ chunks, size, changedMs }: FrozenFile) {
    this.#chunks = chunks as (Chunk | undefined)[]
    this.#size = size
    this.changedMs = changedMs
  }

  static empty(changedMs: number): MemoryFile {
    return new MemoryFile({ chunks: [], size: 0, changedMs })
  }

  get size(): number {
    return this.#size
  }

  /** Returns the present content. The disk must have another owner for later changes. */
  freeze(): FrozenFile {
    return { chunks: this.#chunks, size: this.#size, changedMs: this.changedMs }
  }

  /** Reads into all of `into`, and returns the bytes read: fewer at the end of the file. */
  read(into: Uint8Array, position: number): number {
    const total = Math.max(0, Math.min(into.length, this.#size - position))
    for (let done = 0; done < total; ) {
      const { index, offset } = placeOf(position + done)
      const length = Math.min(chunkBytes - offset, total - done)
      const part = this.#chunks[index]?.bytes.subarray(offset, offset + length)
      if (part) into.set(part, done)
      into.fill(0, done + (part?.length ?? 0), done + length)
      done += length
    }
    return total
  }

  write(bytes: Uint8Array, position: number, owner: Owner): void {
    const chunks = this.#ownChunks(owner)
    for (let done = 0; done < bytes.length; ) {
      const { index, offset } = placeOf(position + done)
      const part = bytes.subarray(done, done + chunkBytes - offset)
      const chunk = writable(chunks[index], offset + part.length, owner)
      chunks[index] = chunk
      chunk.bytes.set(part, offset)
      done += part.length
    }
    if (bytes.length > 0) this.#size = Math.max(this.#size, position + bytes.length)
  }

  truncate(length: number, owner: Owner): void {
    const chunks = this.#ownChunks(owner)
    const { index, offset } = placeOf(length)
    chunks.length = Math.min(chunks.length, offset > 0 ? index + 1 : index)
    const last = chunks[index]
    // The file may grow again, by zeros.
    if (last && last.bytes.length > offset) chunks[index] = { bytes: last.bytes.slice(0, offset), owner }
    this.#size = length
  }

  #ownChunks(owner: Owner): (Chunk | undefined)[] {
    if (this.#owner !== owner) this.#chunks = [...this.#chunks]
    this.#owner = owner
    return this.#chunks
  }
}

function placeOf(position: number): { readonly index: number; readonly offset: number } {
  return { index: Math.floor(position / chunkBytes), offset: position % chunkBytes }
}

/** Returns a chunk that has `end` bytes and may be changed. One that grows again gets twice the bytes. */
function writable(chunk: Chunk | undefined, end: number, owner: Owner): Chunk {
  const length = chunk?.bytes.length ?? 0
  const isOwn = chunk?.owner === owner
  if (chunk && isOwn && length >= end) return chunk
  const bytes = new Uint8Array(Math.min(chunkBytes, Math.max(end, isOwn ? 2 * length : length)))
  if (chunk) bytes.set(chunk.bytes)
  return { bytes, owner }
}
