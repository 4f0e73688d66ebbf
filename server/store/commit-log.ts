/** Group commit: the transactions that wait together go down in one frame of the journal, with one fsync. */

import { createSerializer } from '../util/serialize.ts'
import { StoreUnavailable } from './errors.ts'
import type { Files } from './files.ts'
import { encodeFrame, Journal } from './journal.ts'
import { journalPath, journalSeqs } from './layout.ts'

/** Transactions of one frame. */
interface Batch {
  readonly transactions: string[]
  readonly written: PromiseWithResolvers<void>
}

/** Writes transactions to the current journal in the order in which they come. */
export class CommitLog {
  readonly #files: Files
  readonly #dir: string
  readonly #rollBack: () => Promise<void>
  #journal: Journal
  #seq: number
  #writable = true
  /** Transactions were rejected but memory still has them. */
  #rollBackDue = false
  /** The batch that still takes in transactions, and the one that is being written. */
  #next: Batch | undefined
  #writing: Batch | undefined
  /** The journal is used by one task at a time. */
  readonly #serialize = createSerializer()
  #repairing: Promise<void> | undefined

  /**
   * `rollBack` brings memory back to the journal; it is called before the transactions of a failed write are
   * rejected.
   */
  constructor(files: Files, dir: string, journal: Journal, seq: number, rollBack: () => Promise<void>) {
    this.#files = files
    this.#dir = dir
    this.#journal = journal
    this.#seq = seq
    this.#rollBack = rollBack
  }

  /** Whether the last write worked, or was repaired. */
  get writable(): boolean {
    return this.#writable
  }

  /** Number of the last transaction on disk. */
  get seq(): number {
    return this.#seq
  }

  /** Number of the first transaction of the current journal. */
  get firstSeq(): number {
    return this.#journal.firstSeq
  }

  /** Bytes of the current journal that are on disk. */
  get length(): number {
    return this.#journal.length
  }

  /** What the last transaction waits for, or undefined when all are on disk. */
  get pending(): Promise<void> | undefined {
    return (this.#next ?? this.#writing)?.written.promise
  }

  /**
   * Resolves once the transaction, a JSON array of statements, is on disk. Throws StoreUnavailable when it
   * cannot be.
   */
  append(transaction: string): Promise<void> {
    if (this.#next === undefined) {
      const batch: Batch = { transactions: [], written: Promise.withResolvers() }
      this.#next = batch
      void this.#serialize(() => this.#write(batch))
    }
    this.#next.transactions.push(transaction)
    return this.#next.written.promise
  }

  /**
   * Begins a new journal. Returns the bytes of the old one, or 0 when that has no transaction and goes on.
   */
  seal(): Promise<number> {
    return this.#serialize(async () => {
      if (!this.#writable) throw new StoreUnavailable('The disk takes no writes.')
      if (this.#journal.isEmpty) return 0
      const old = this.#journal
      try {
        this.#journal = await Journal.create(this.#files, this.#dir, this.#seq + 1)
      } catch (cause) {
        this.#writable = false
        await this.#mend().then(
          () => {
            this.#writable = true
          },
          () => {},
        )
        throw unavailable(cause)
      }
      await old.close().catch(() => {})
      return old.length
    })
  }

  /** Makes writing possible again after a failure. Throws StoreUnavailable when it is not yet. */
  repair(): Promise<void> {
    this.#repairing ??= this.#serialize(async () => {
      try {
        if (!this.#writable) await this.#mend()
        this.#writable = true
      } catch (cause) {
        throw unavailable(cause)
      } finally {
        this.#repairing = undefined
      }
    })
    return this.#repairing
  }

  close(): Promise<void> {
    return this.#serialize(() => this.#journal.close())
  }

  async #write(batch: Batch): Promise<void> {
    // Rejected together with the batch before it.
    if (batch !== this.#next) return
    this.#next = undefined
    this.#writing = batch
    try {
      if (!this.#writable) throw new Error('an earlier write failed')
      await this.#journal.append(encodeFrame(this.#seq + 1, batch.transactions))
      this.#seq += batch.transactions.length
      batch.written.resolve()
    } catch (cause) {
      await this.#fail(batch, cause)
    } finally {
      this.#writing = undefined
    }
  }

  async #fail(batch: Batch, cause: unknown): Promise<void> {
    this.#writable = false
    this.#rollBackDue = true
    // Mended or not, the next transaction shows whether the disk takes writes again.
    await this.#mend().catch(() => {})
    const later = this.#next
    this.#next = undefined
    batch.written.reject(unavailable(cause))
    later?.written.reject(unavailable(cause))
  }

  /**
   * Takes memory back, cuts the current journal to what is on disk and removes a later one that was only half
   * begun.
   */
  async #mend(): Promise<void> {
    if (this.#rollBackDue) await this.#rollBack()
    this.#rollBackDue = false
    await this.#journal.repair()
    for (const first of journalSeqs(await this.#files.list(this.#dir))) {
      if (first > this.firstSeq) await this.#files.remove(journalPath(this.#dir, first))
    }
    await this.#files.syncDir(this.#dir)
  }
}

function unavailable(cause: unknown): StoreUnavailable {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StoreUnavailable(
    `The disk did not take a write (${reason}). Make room or mend it, then try again.`,
    {
      cause,
    },
  )
}
