/** The journal that is being written: append, reserve space, repair, seal. */
import { type Files, type OpenFile, writeFully } from '../files/files.ts'
import { journalPath } from '../files/layout.ts'
import { encodeFrame, encodeTitle, lineBytes } from './journal.ts'
import type { EncodedStatement } from './journal-statements.ts'

/**
 * A write into space that the file already has needs no update of its length on disk, so it is faster to sync than an
 * append. And a disk that becomes full refuses to reserve space before it refuses a transaction.
 */
export const defaultReserveBytes = 256 * 1024

export class Journal {
  readonly firstSeq: number
  readonly #files: Files
  readonly #path: string
  #file: OpenFile
  /** Bytes of the first line and the frames on disk. */
  #length: number
  /** Bytes of the file: zeros follow the frames. */
  #allocated: number
  /** Numbers of the texts of statements, of the frames on disk. */
  readonly #texts: Map<string, number>

  private constructor(
    files: Files,
    path: string,
    firstSeq: number,
    file: OpenFile,
    length = lineBytes,
    texts: readonly string[] = [],
  ) {
    this.#files = files
    this.#path = path
    this.firstSeq = firstSeq
    this.#file = file
    this.#length = length
    this.#allocated = length
    this.#texts = new Map(texts.map((text, at) => [text, at + 1]))
  }

  /** Creates a journal. Resolves once its first line and its name are on disk. */
  static async create(files: Files, dir: string, firstSeq: number): Promise<Journal> {
    const path = journalPath(dir, firstSeq)
    const file = await createTitled(files, path, firstSeq, () => files.syncDir(dir))
    return new Journal(files, path, firstSeq, file)
  }

  /** Writes an empty journal anew. Until that is on disk, the old one keeps the name: data without a journal do not open. */
  static async replace(files: Files, dir: string, firstSeq: number): Promise<Journal> {
    const path = journalPath(dir, firstSeq)
    const temporary = `${path}.tmp`
    try {
      const file = await createTitled(files, temporary, firstSeq, async () => {
        await files.rename(temporary, path)
        await files.syncDir(dir)
      })
      return new Journal(files, path, firstSeq, file)
    } catch (error) {
      await files.remove(temporary).catch(() => {})
      throw error
    }
  }

  /** Continues a journal: keeps its first `length` bytes, which are intact, and truncates the rest. `texts` are its statements. */
  static async resume(
    files: Files,
    dir: string,
    { firstSeq, length, texts }: { firstSeq: number; length?: number; texts?: readonly string[] },
  ): Promise<Journal> {
    const path = journalPath(dir, firstSeq)
    return new Journal(files, path, firstSeq, await editFrom(files, path, length ?? lineBytes), length, texts)
  }

  /** Bytes of the first line and the frames on disk. */
  get length(): number {
    return this.#length
  }

  get isEmpty(): boolean {
    return this.#length === lineBytes
  }

  /** Bytes of reserved space. */
  get room(): number {
    return this.#allocated - this.#length
  }

  /** Reserves another `bytes` of space. A failure changes nothing. */
  async reserve(bytes: number): Promise<void> {
    await writeDurably(this.#file, zeros(bytes), this.#allocated)
    this.#allocated += bytes
  }

  /** Resolves once the transactions, the first of which has the number `seq`, are on disk. After a failure the journal needs `repair`. */
  async append(seq: number, transactions: readonly (readonly EncodedStatement[])[]): Promise<void> {
    const { bytes, added } = encodeFrame(seq, transactions, this.#length, this.#texts)
    await writeDurably(this.#file, bytes, this.#length)
    this.#length += bytes.length
    this.#allocated = Math.max(this.#allocated, this.#length)
    for (const text of added) this.#texts.set(text, this.#texts.size + 1)
  }

  /** Cuts off bytes that a failed `append` may have written. No frame may be appended until this has succeeded. */
  async repair(): Promise<void> {
    await this.#file.close().catch(() => {})
    this.#allocated = this.#length
    this.#file = await editFrom(this.#files, this.#path, this.#length)
  }

  /** Releases the reserved space: readers require a sealed journal to end with its last frame. */
  async seal(): Promise<void> {
    if (this.room === 0) return
    this.#allocated = this.#length
    await this.#file.truncate(this.#length)
    await this.#file.sync()
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

let lastZeros = Buffer.alloc(0)

/** Returns the same buffer for the same size: a busy server reserves space several times a second. */
function zeros(bytes: number): Buffer {
  if (lastZeros.length !== bytes) lastZeros = Buffer.alloc(bytes)
  return lastZeros
}

/** Creates a file with the first line of a journal. Closes it if `publish` fails. */
async function createTitled(
  files: Files,
  path: string,
  firstSeq: number,
  publish: () => Promise<void>,
): Promise<OpenFile> {
  const file = await files.create(path, { durableWrites: true })
  try {
    await writeDurably(file, encodeTitle(firstSeq, files.isForTests), 0)
    await publish()
    return file
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
}

async function editFrom(files: Files, path: string, length: number): Promise<OpenFile> {
  const file = await files.edit(path, { durableWrites: true })
  try {
    await file.truncate(length)
    await file.sync()
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
  return file
}

async function writeDurably(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  await writeFully(file, bytes, position)
  if (!file.durableWrites) await file.sync()
}
