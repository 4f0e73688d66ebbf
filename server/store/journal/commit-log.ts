/** Group commit: transactions that wait at the same time are written as one frame of the journal, with one sync. */

import { createSerializer } from '../../util/serialize.ts'
import type { Files } from '../files/files.ts'
import { journalPath, journalSeqs } from '../files/layout.ts'
import { StoreLockLost, StoreUnavailable } from '../files/store-errors.ts'
import { Journal } from './journal-file.ts'
import type { EncodedStatement } from './journal-statements.ts'

export interface CommitLogOptions {
  readonly files: Files
  readonly dir: string
  readonly journal: Journal
  /** Number of the last transaction on disk. */
  readonly seq: number
  /** Bytes that the journal reserves ahead of the frames. */
  readonly reserveBytes: number
  /** Restores memory from the journal. Called before the transactions of a failed write are rejected. */
  readonly rollBack: () => Promise<void>
}

/** Transactions of one frame. */
interface Batch {
  readonly transactions: (readonly EncodedStatement[])[]
  readonly written: PromiseWithResolvers<void>
}

/** Writes transactions to the current journal in call order. */
export class CommitLog {
  readonly #files: Files
  readonly #dir: string
  readonly #reserveBytes: number
  readonly #rollBack: () => Promise<void>
  #journal: Journal
  #seq: number
  #writable = true
  /** After a failed write: nothing may be appended until the journal has been repaired. */
  #repairDue = false
  /** Transactions were rejected but memory still has them. */
  #rollBackDue = false
  /** The batch that still accepts transactions, and the one that is being written. */
  #next: Batch | undefined
  #writing: Batch | undefined
  /** Only one task at a time uses the journal. */
  readonly #serialize = createSerializer()
  #preparing: Promise<void> | undefined

  constructor({ files, dir, journal, seq, reserveBytes, rollBack }: CommitLogOptions) {
    this.#files = files
    this.#dir = dir
    this.#journal = journal
    this.#seq = seq
    this.#reserveBytes = reserveBytes
    this.#rollBack = rollBack
  }

  /** False after a failed write until a transaction has been written. */
  get writable(): boolean {
    return this.#writable
  }

  /** Whether a transaction may run: the journal is whole and has reserved space. If not, call `prepare` first. */
  get ready(): boolean {
    return !this.#repairDue && this.#journal.room >= this.#reserveBytes / 4
  }

  /** Number of the last transaction on disk. */
  get seq(): number {
    return this.#seq
  }

  /** Number of the last transaction in memory. */
  get lastSeq(): number {
    return this.#seq + (this.#writing?.transactions.length ?? 0) + (this.#next?.transactions.length ?? 0)
  }

  /** Number of the first transaction of the current journal. */
  get firstSeq(): number {
    return this.#journal.firstSeq
  }

  /** Bytes of the current journal that are on disk. */
  get length(): number {
    return this.#journal.length
  }

  /** Settles with the last transaction; undefined when all are on disk. */
  get pending(): Promise<void> | undefined {
    return (this.#next ?? this.#writing)?.written.promise
  }

  /** Resolves once the transaction is on disk. Throws StoreUnavailable when it cannot be written. */
  append(transaction: readonly EncodedStatement[]): Promise<void> {
    if (this.#next === undefined) {
      const batch: Batch = { transactions: [], written: Promise.withResolvers() }
      this.#next = batch
      void this.#serialize(() => this.#write(batch))
    }
    this.#next.transactions.push(transaction)
    return this.#next.written.promise
  }

  /** Seals the journal and starts a new one. Returns the bytes of the sealed one; 0 if it is empty and therefore kept. */
  seal(): Promise<number> {
    return this.#serialize(async () => {
      if (this.#repairDue)
        throw new StoreUnavailable('The disk accepts no writes. Free disk space or check the disk.')
      return this.#journal.isEmpty ? 0 : this.#replaceJournal()
    })
  }

  /** Writes the journal anew if it has no transactions: its file may be damaged. */
  renew(): Promise<void> {
    return this.#serialize(async () => {
      if (this.#journal.isEmpty && !this.#repairDue) await this.#replaceJournal()
    })
  }

  /** Starts a new journal after the current one. Returns the bytes of that. */
  async #replaceJournal(): Promise<number> {
    const old = this.#journal
    try {
      await old.seal()
      // Windows replaces no open file.
      if (old.isEmpty) await old.close().catch(() => {})
      const begin = old.isEmpty ? Journal.replace : Journal.create
      this.#journal = await begin(this.#files, this.#dir, this.#seq + 1)
    } catch (cause) {
      await this.#fail()
      throw unavailable(cause)
    }
    if (!old.isEmpty) await old.close().catch(() => {})
    // Reserved now, so that the next transaction does not wait for it.
    await this.#journal.reserve(this.#reserveBytes).catch(() => {})
    return old.length
  }

  /** Makes the log ready after a failure, or when the reserved space runs out. Throws StoreUnavailable. */
  prepare(): Promise<void> {
    this.#preparing ??= this.#serialize(async () => {
      try {
        if (this.#repairDue) await this.#repair()
        if (this.#isShort) await this.#journal.reserve(this.#reserveBytes)
      } catch (cause) {
        if (!this.ready) this.#writable = false
        throw unavailable(cause)
      } finally {
        this.#preparing = undefined
      }
    })
    return this.#preparing
  }

  /** Repairs the journal after a failed write, without reserving space. Throws StoreUnavailable. */
  repair(): Promise<void> {
    return this.#serialize(async () => {
      if (!this.#repairDue) return
      await this.#repair().catch((cause: unknown) => {
        throw unavailable(cause)
      })
    })
  }

  /** Waits for all writes and closes the journal. */
  close(): Promise<void> {
    return this.#serialize(async () => {
      if (!this.#repairDue) await this.#journal.seal().catch(() => {})
      await this.#journal.close()
    })
  }

  async #write(batch: Batch): Promise<void> {
    // It was rejected together with the previous batch.
    if (batch !== this.#next) return
    this.#next = undefined
    this.#writing = batch
    try {
      if (this.#repairDue) throw new Error('an earlier write failed')
      await this.#journal.append(this.#seq + 1, batch.transactions)
      this.#seq += batch.transactions.length
      this.#writable = true
      batch.written.resolve()
      // Ahead of need. If this fails, transactions use the remaining space; after that, `prepare` reports the error.
      if (this.#isShort) void this.prepare().catch(() => {})
    } catch (cause) {
      this.#rollBackDue = true
      await this.#fail(batch, cause)
    } finally {
      this.#writing = undefined
    }
  }

  /** Restores memory, tries to repair the journal, and rejects the failed batch and the one that waits. */
  async #fail(batch?: Batch, cause?: unknown): Promise<void> {
    this.#writable = false
    this.#repairDue = true
    await this.#restoreMemory().catch(() => {})
    const rejected = batch ? [batch, this.#next] : []
    if (batch) {
      this.#next = undefined
      this.#writing = undefined
    }
    // First, so that a start never finds rejected transactions.
    await this.#repair().catch(() => {})
    for (const each of rejected) each?.written.reject(unavailable(cause))
  }

  get #isShort(): boolean {
    return this.#journal.room < this.#reserveBytes / 2
  }

  async #restoreMemory(): Promise<void> {
    if (this.#rollBackDue) await this.#rollBack()
    this.#rollBackDue = false
  }

  /** Restores memory, cuts the current journal to its frames and removes a later one whose creation failed. */
  async #repair(): Promise<void> {
    await this.#restoreMemory()
    await this.#journal.repair()
    for (const first of journalSeqs(await this.#files.list(this.#dir))) {
      if (first > this.firstSeq) await this.#files.remove(journalPath(this.#dir, first))
    }
    await this.#files.syncDir(this.#dir)
    this.#repairDue = false
  }
}

function unavailable(cause: unknown): StoreUnavailable {
  if (cause instanceof StoreLockLost) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StoreUnavailable(
    `The disk refused a write (${reason}). Free disk space or check the disk, then try again.`,
    { cause },
  )
}
