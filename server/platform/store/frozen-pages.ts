/**
 * Reads an array as it was at one moment while it goes on changing: each page is saved before its first change (copy on write), so
 * that neither a whole copy nor a pause is needed.
 */

/** SQLite writes pages of this size, or a part of one. */
const pageBytes = 4096
const chunkBytes = 1024 * 1024

/** Observes the writes to an array, all of which go through its `set`. */
export interface WriteWatch {
  /** Number of writes so far. */
  count: number
  frozen: FrozenPages | undefined
}

/** Counts writes to an array, and saves its frozen pages before they change. Keeps no reference to it, so it can be collected. */
export function watchWrites(array: Uint8Array): WriteWatch {
  const watch: WriteWatch = { count: 0, frozen: undefined }
  array.set = function (this: Uint8Array, source: ArrayLike<number>, at = 0) {
    watch.count++
    watch.frozen?.save(at, at + source.length)
    Uint8Array.prototype.set.call(this, source, at)
  }
  return watch
}

/** The first bytes of an array at the moment of its creation. Only one can be in use. */
export class FrozenPages implements Disposable {
  readonly length: number
  readonly #array: Uint8Array
  readonly #watch: WriteWatch
  /** Pages that have changed since and are still to be read, by their offset. */
  readonly #saved = new Map<number, Uint8Array>()
  /** Bytes that have been read. */
  #read = 0

  constructor(array: Uint8Array, watch: WriteWatch, length: number) {
    this.#array = array
    this.#watch = watch
    this.length = length
    watch.frozen = this
  }

  /** Saves the pages from `start` to `end`, which are about to change. */
  save(start: number, end: number): void {
    const last = Math.min(end, this.length)
    for (let at = Math.max(start - (start % pageBytes), this.#read); at < last; at += pageBytes) {
      if (!this.#saved.has(at))
        this.#saved.set(at, this.#array.slice(at, Math.min(at + pageBytes, this.length)))
    }
  }

  /** Yields the bytes once. Each part is valid until the next one is asked for. */
  *chunks(): Generator<Uint8Array> {
    const buffer = new Uint8Array(Math.min(chunkBytes, this.length))
    while (this.#read < this.length) {
      const chunk = buffer.subarray(0, Math.min(chunkBytes, this.length - this.#read))
      chunk.set(this.#array.subarray(this.#read, this.#read + chunk.length))
      for (let at = 0; at < chunk.length; at += pageBytes) this.#restore(chunk, at)
      this.#read += chunk.length
      yield chunk
    }
  }

  #restore(chunk: Uint8Array, at: number): void {
    const page = this.#saved.get(this.#read + at)
    if (!page) return
    chunk.set(page, at)
    this.#saved.delete(this.#read + at)
  }

  [Symbol.dispose](): void {
    this.#watch.frozen = undefined
    this.#saved.clear()
  }
}
