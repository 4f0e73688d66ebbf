/**
 * The database as sql.js sees it: pages that have changed since the last checkpoint, in memory, over those on disk.
 *
 * sql.js is made for files in memory. It takes as a new file what `slice()` returns, reads it with `subarray()`, writes it with `set()`,
 * and replaces it by an array only if it is to be longer than its `length`, or shorter than it is. `Sqlite` never lets SQLite shorten it.
 */

import { StoreDamaged, StoreUnavailable } from '../files/store-errors.ts'
import { freePages } from './free-pages.ts'
import { type Pages, pageBytes } from './page.ts'
import type { PageFile } from './page-file.ts'

/** Pages per allocation: many small ones would leave gaps in the memory of the process. */
const pagesPerSlab = 64

/** Pages that no overlay uses any more. */
const free: Uint8Array[] = []
const maxFree = 1024

export class PageOverlay {
  /** More than a file can have, so that sql.js never replaces it. */
  readonly length = Number.MAX_SAFE_INTEGER
  readonly #file: PageFile
  #changed = new Map<number, Uint8Array>()
  #failure: StoreDamaged | StoreUnavailable | undefined
  /** The error that sql.js passes to SQLite as a failed read. */
  #refusal: unknown

  constructor(file: PageFile) {
    this.#file = file
  }

  /** Number of changed pages. */
  get changes(): number {
    return this.#changed.size
  }

  /** Number of pages, with those that the file does not have yet. */
  get pageCount(): number {
    let count = this.#file.count
    for (const number of this.#changed.keys()) count = Math.max(count, number)
    return count
  }

  /** Returns the error of a failed read, once: SQLite reports only that the disk failed. */
  takeFailure(): StoreDamaged | StoreUnavailable | undefined {
    const failure = this.#failure
    this.#failure = undefined
    return failure
  }

  /** Returns the file that sql.js opens. @param refusal is thrown for each page that cannot be read */
  source(refusal: unknown): Pick<PageOverlay, 'length'> & { subarray(): PageOverlay; slice(): PageOverlay } {
    this.#refusal = refusal
    return { length: this.pageCount * pageBytes, subarray: () => this, slice: () => this }
  }

  /** Returns a page, valid until the next call. @throws StoreDamaged, StoreUnavailable */
  page(number: number): Uint8Array {
    try {
      return this.#changed.get(number) ?? this.#file.read(number)
    } catch (error) {
      if (error instanceof StoreDamaged) throw error
      throw new StoreUnavailable(`The disk refused a read (${error}). Check the disk, then try again.`)
    }
  }

  /** Replaces a damaged page by zeros if it is free, because nothing reads it. Returns whether it is. */
  clearIfFree(number: number): boolean {
    if (!freePages((each) => this.page(each)).has(number)) return false
    if (!this.#changed.has(number)) this.set(new Uint8Array(pageBytes), (number - 1) * pageBytes)
    this.#file.damaged.delete(number)
    return true
  }

  /** Returns bytes of one page, valid until the next call. */
  subarray(start: number, end: number): Uint8Array {
    const number = Math.floor(start / pageBytes) + 1
    const offset = start % pageBytes
    if (offset + end - start > pageBytes) throw new Error(`A read of SQLite spans pages: ${start} to ${end}`)
    const page = this.#read(number)
    return page.subarray(offset, offset + end - start)
  }

  set(bytes: Uint8Array, at: number): void {
    if (at % pageBytes !== 0 || bytes.length !== pageBytes) {
      throw new Error(`A write of SQLite is no page: ${bytes.length} bytes at ${at}`)
    }
    const number = at / pageBytes + 1
    let page = this.#changed.get(number)
    if (!page) {
      page = takePage()
      this.#changed.set(number, page)
    }
    page.set(bytes)
  }

  /** Returns the changed pages, and begins anew without changes. */
  takeChanges(): Map<number, Uint8Array> {
    const changed = this.#changed
    this.#changed = new Map()
    return changed
  }

  /** Undoes `takeChanges`: later changes stay. */
  putBack(pages: Pages): void {
    for (const [number, page] of pages) if (!this.#changed.has(number)) this.#changed.set(number, page)
  }

  #read(number: number): Uint8Array {
    try {
      return this.page(number)
    } catch (error) {
      this.#failure = error as StoreDamaged | StoreUnavailable
      throw this.#refusal
    }
  }
}

function takePage(): Uint8Array {
  const page = free.pop()
  if (page) return page
  const slab = Buffer.allocUnsafeSlow(pagesPerSlab * pageBytes)
  for (let i = 1; i < pagesPerSlab; i++) free.push(slab.subarray(i * pageBytes, (i + 1) * pageBytes))
  return slab.subarray(0, pageBytes)
}

/** Gives the memory of pages to later changes. */
export function recycle(pages: Pages): void {
  for (const page of pages.values()) if (free.length < maxFree) free.push(page)
}
