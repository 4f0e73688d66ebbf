/** The space that is left on the disk of the data folder. */
import { realElapsed } from '../../util/deadlines.ts'
import type { Files } from './files.ts'

/** Milliseconds after which a reading is replaced. */
const freshMs = 3000

/** The free bytes of a disk as of a few seconds ago, so that no write waits for them. */
export class FreeSpace {
  readonly #read: () => Promise<number>
  #bytes = Number.POSITIVE_INFINITY
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<number> | undefined

  constructor(read: () => Promise<number>) {
    this.#read = read
  }

  /** The last reading, infinite before the first one. An old one is replaced in the background. */
  get bytes(): number {
    if (realElapsed() - this.#readAt > freshMs) void this.refresh().catch(() => {})
    return this.#bytes
  }

  /** Reads the free bytes now. Calls that come meanwhile share one reading. */
  refresh(): Promise<number> {
    this.#reading ??= this.#read()
      .then((bytes) => {
        this.#bytes = bytes
        return bytes
      })
      .finally(() => {
        this.#readAt = realElapsed()
        this.#reading = undefined
      })
    return this.#reading
  }
}

/** In bytes. */
const reserve = 1024 ** 3

/**
 * Whether a folder has space for `bytes`, and beside them a reserve for the server: 1 GB, or as many bytes if that is less.
 * @param freed bytes that would become free before
 */
export async function hasSpace(files: Files, folder: string, bytes: number, freed = 0): Promise<boolean> {
  return (await files.freeBytes(folder)) + freed >= bytes + Math.min(reserve, bytes)
}
