/**
 * The pages of the database on disk: `pds.sqlite`, a checksum for each page in `pds.sqlite.pages`, and, while a checkpoint puts pages in
 * their places, those pages in memory. A page that fails its checksum is never returned.
 */
import type { Files, ReadableFile } from '../files/files.ts'
import { StoreDamaged } from '../files/store-errors.ts'
import { type Pages, pageBytes } from './page.ts'
import type { PageChecksums } from './page-checksums.ts'

/** SQLite keeps this page, at 1 GiB, free of data: elsewhere it has locks there. */
const lockPage = 1024 ** 3 / pageBytes + 1

export class PageFile {
  readonly path: string
  /** Whether the database is for tests; see `Files`. */
  readonly isForTests: boolean
  /** Undefined if there is no file of checksums: then all pages are accepted. */
  checksums: PageChecksums | undefined
  /** Pages that are newer than those in the file. */
  frozen: Pages | undefined
  /** Pages that could not be read, or failed their check, when they were last read. */
  readonly damaged = new Set<number>()
  /** Called when a page becomes one of `damaged`. */
  onDamage: ((error: unknown) => void) | undefined
  readonly #file: ReadableFile
  readonly #buffer = Buffer.alloc(pageBytes)

  private constructor(
    path: string,
    file: ReadableFile,
    checksums: PageChecksums | undefined,
    isForTests: boolean,
  ) {
    this.path = path
    this.isForTests = isForTests
    this.#file = file
    this.checksums = checksums
  }

  static async open(files: Files, path: string, checksums?: PageChecksums): Promise<PageFile> {
    return new PageFile(path, await files.open(path), checksums, files.isForTests === true)
  }

  /** Pages of the file and of `frozen`. */
  get count(): number {
    let count = Math.ceil(this.#file.size() / pageBytes)
    for (const number of this.frozen?.keys() ?? []) count = Math.max(count, number)
    return count
  }

  /** Whether the file ends before its first page does. */
  get isShort(): boolean {
    return this.#file.size() < pageBytes && !this.frozen?.has(1)
  }

  /** Returns a page, valid until the next one is read. @throws StoreDamaged */
  read(number: number): Uint8Array {
    try {
      const page = this.frozen?.get(number) ?? this.#readFile(number)
      this.damaged.delete(number)
      return page
    } catch (error) {
      if (!this.damaged.has(number)) this.onDamage?.(error)
      this.damaged.add(number)
      throw error
    }
  }

  #readFile(number: number): Uint8Array {
    const page = this.#buffer
    // SQLite never writes it, so a file that is about to grow beyond it may end before.
    if (number === lockPage) return page.fill(0)
    if (this.#file.readBlocking(page, (number - 1) * pageBytes) < pageBytes) {
      throw new StoreDamaged(this.path, `is cut short before page ${number}`)
    }
    if (this.checksums?.differs(number, page)) {
      throw new StoreDamaged(this.path, `has a damaged page (${number})`)
    }
    return page
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
