/**
 * The store: an SQLite database on disk, with the pages that have changed since the last checkpoint in memory. Every write is on disk
 * before it is acknowledged.
 *
 * A transaction runs in memory at once. Its statements are then written as a frame of the journal, together with statements of
 * other transactions that wait. Readers see a transaction as soon as it has run, so a response must wait for `settled`.
 * When a write fails, the changed pages are dropped, and the journals replayed over those on disk.
 */

import { basename, join } from 'node:path'
import { createSerializer } from '../util/serialize.ts'
import { yieldToEventLoop } from '../util/timers.ts'
import type { CopyOptions, DatabaseCopy } from './backups/copy-data.ts'
import { runInBackground, runInWorker, type Task, type TaskResult } from './backups/tasks.ts'
import { canCompact } from './database/compact-database.ts'
import type { Schema } from './database/migrate.ts'
import { type OpenedStore, openStore, type StartEvents } from './database/open-store.ts'
import { runTransaction, type Writer } from './database/transaction.ts'
import { tryLock } from './files/backup-lock.ts'
import { exists } from './files/blob-files.ts'
import { FreeSpace } from './files/disk-space.ts'
import { Fence } from './files/fence.ts'
import { type Files, isUnreadable, nodeFiles } from './files/files.ts'
import { isJournal, restoredMarkName } from './files/layout.ts'
import type { Lock } from './files/lock.ts'
import { StoreDamaged, StoreFull, type StoreLockLost, StoreUnavailable } from './files/store-errors.ts'
import { CommitLog } from './journal/commit-log.ts'
import { defaultReserveBytes } from './journal/journal-file.ts'
import { replayJournals } from './journal/recover.ts'
import { retireJournals } from './journal/retire.ts'
import { finishCheckpoint, writeCheckpoint } from './pages/checkpoint.ts'
import { isUnverified, openPageFile, setSeq } from './pages/database-file.ts'
import { type Pages, pageBytes } from './pages/page.ts'
import type { PageFile } from './pages/page-file.ts'
import { type PageOverlay, recycle } from './pages/page-overlay.ts'
import type { Reader } from './pages/reader.ts'
import type { Sqlite, SqlParams } from './pages/sqlite.ts'

export type { Schema } from './database/migrate.ts'
export type { Writer } from './database/transaction.ts'
export type { Reader } from './pages/reader.ts'
export type { SqlParams, SqlValue } from './pages/sqlite.ts'

export interface OpenOptions extends StartEvents {
  readonly directory: string
  readonly schema: Schema
  readonly now: () => Date
  /** Called when a checkpoint failed, because it has no caller. It will be retried. */
  readonly onFault?: (error: unknown) => void
  /** Called with the error when a page of the database cannot be read, or fails its check, for the first time. */
  readonly onDamagedPage?: (error: unknown) => void
  /** Called with the error of a watcher, because it has no caller. The other watchers are called all the same. */
  readonly onWatcherFault?: (error: unknown) => void
  /** Called once, when another process may use the directory. From then on nothing is written: close the store. */
  readonly onLockLost?: ((error: StoreLockLost) => void) | undefined
  /** Called if the worker cannot be loaded: its tasks then run on the main thread. */
  readonly onUnloadable?: (error: Error) => void
  /** Replaces the real file system; checkpoints and backups then run in this thread. */
  readonly files?: Files | undefined
  /** Bytes of journals at which a checkpoint starts automatically: 8 MiB by default. */
  readonly checkpointBytes?: number | undefined
  /** Bytes that a journal reserves ahead of its frames; tests take few. */
  readonly reserveBytes?: number
  /** Free bytes of the disk below which `assertRoom` throws: 0 by default. */
  readonly diskReserve?: number
  /** Replaces the free bytes of the disk that has a folder. */
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined
}

const defaultCheckpointBytes = 8 * 1024 * 1024
/** Changed pages in memory at which a checkpoint starts automatically: 32 MiB. Fewer would be written more often: a post changes 23 of 1 GB. */
const checkpointPages = 8192

/** Transactions wait for a checkpoint at so many times its limits: otherwise journals and memory grow without limit. */
const waitFactor = 4
/** One part in so many of the reserve must be free beside free pages: 60 MB of 1 GB. */
const upkeepShare = 16

export class Database implements Reader {
  readonly freeSpace: FreeSpace
  /** Number of the last transaction that was on disk when the store was opened. */
  readonly openedSeq: number
  readonly #options: OpenOptions
  readonly #files: Files
  readonly #lock: Lock
  readonly #fence: Fence
  readonly #log: CommitLog
  readonly #file: PageFile
  #sqlite: Sqlite
  #overlay: PageOverlay
  #sealedBytes: number
  /** A checkpoint of transactions that are on disk, until it is in the database file. */
  #unfinished: { readonly pages: Pages; readonly before: number; isWritten: boolean } | undefined

  #commits = 0
  readonly #tableVersions = new Map<string, number>()
  #epoch = 0
  /** Memory is ahead of the disk after a failed write, until it has been reloaded. */
  #dirty = false
  #inTransaction = false
  #checkpointing = false
  /** After a failed checkpoint: bytes of journals at which the next one starts. */
  #checkpointAt = 0
  /** Runs checkpoints and backups one at a time. */
  readonly #upkeep = createSerializer()
  readonly #tasks = new AbortController()
  #closing: Promise<void> | undefined
  #refusal: Error | undefined
  readonly #watchers = new Set<Watcher>()
  /** Changed since the watchers were called. */
  #unreported: Set<string> | 'all' | undefined

  private constructor(options: OpenOptions, files: Files, lock: Lock, fence: Fence, opened: OpenedStore) {
    const { directory, freeBytes = files.freeBytes } = options
    this.freeSpace = new FreeSpace(() => freeBytes(directory))
    this.openedSeq = opened.seq
    this.#options = options
    this.#files = files
    this.#lock = lock
    this.#fence = fence
    this.#log = new CommitLog({
      files,
      dir: options.directory,
      journal: opened.journal,
      seq: opened.seq,
      reserveBytes: options.reserveBytes ?? defaultReserveBytes,
      rollBack: () => this.#reload(),
    })
    this.#file = opened.file
    this.#file.onDamage = options.onDamagedPage
    const damaged = [...this.#file.damaged]
    this.#file.damaged.clear()
    this.#sqlite = opened.sqlite
    this.#overlay = opened.overlay
    this.#sealedBytes = opened.sealedBytes
    const { frozen } = opened.file
    // A checkpoint that the start could not finish.
    if (frozen) this.#unfinished = { pages: frozen, before: 0, isWritten: true }
    // Found by the start, and reported from now on.
    for (const page of damaged) this.isPageIntact(page)
  }

  /**
   * Opens the store of a data directory, or creates it in an empty one. Throws StoreLocked, StoreDamaged,
   * StoreTooNew or StoreTooOld.
   */
  static async open(options: OpenOptions): Promise<Database> {
    const { directory, schema, now, files = nodeFiles } = options
    await files.makeDir(directory)
    const lock = await files.lock(directory)
    const fence = new Fence(lock, directory, options.onLockLost)
    const guarded = fence.guard(files)
    try {
      await compactWhenDue(files, options)
      const verify = () => verifyInBackground(files, options)
      const opened = await openStore(guarded, directory, schema, now, { ...options, verify })
      const database = new Database(options, guarded, lock, fence, opened)
      // On a full disk the store opens for reading.
      await database.#log.prepare().catch(() => {})
      if (options.diskReserve) await database.freeSpace.refresh().catch(() => {})
      return database
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  /** Increases with every change that a reader can see. */
  get commits(): number {
    return this.#commits
  }

  /** Increases with every change that a reader of these tables can see. Caches compare it. */
  version(...tables: readonly string[]): number {
    let version = this.#epoch
    for (const table of tables) version += this.#tableVersions.get(table) ?? 0
    return version
  }

  /** Increases when memory is reloaded from disk: data read before may never have been written. */
  get epoch(): number {
    return this.#epoch
  }

  /** False after a failed write until a transaction has been written again. */
  get writable(): boolean {
    return this.#log.writable
  }

  /**
   * Throws StoreFull if the disk has too little free space. Call it before writes that clients can repeat without limit.
   * @param reserves how many times the reserve must be free
   * @param bytes of a temporary file that is written next: as much must be free beside it
   */
  assertRoom(reserves = 1, bytes = 0): void {
    const reserve = reserves * (this.#options.diskReserve ?? 0)
    const free = this.freeSpace.bytes
    if (free >= reserve + bytes) return
    // Deletions leave free pages in the file, which are used again. Journals and checkpoints need a part of the reserve.
    if (free >= reserve / upkeepShare + bytes && free + this.#freePageBytes >= reserve + bytes) return
    throw new StoreFull(
      'The disk of this server is almost full. Delete data or free disk space, then try again.',
    )
  }

  get #freePageBytes(): number {
    return pageBytes * (this.get<{ freelist_count: number }>('PRAGMA freelist_count')?.freelist_count ?? 0)
  }

  /** Number of the last transaction on disk. */
  get seq(): number {
    return this.#log.seq
  }

  /** Number of the last transaction in memory. */
  get lastSeq(): number {
    return this.#log.lastSeq
  }

  /** Number of pages in the database file. The first one is 1. */
  get pageCount(): number {
    return this.#file.count
  }

  /** Pages that were damaged or unreadable when they were last read, ascending. */
  get damagedPages(): readonly number[] {
    return [...this.#file.damaged].sort((a, b) => a - b)
  }

  /**
   * Reads a page of the file and compares it with its checksum; takes some microseconds. A damaged free page is replaced by the next
   * checkpoint. @throws StoreUnavailable when closed
   */
  isPageIntact(number: number): boolean {
    this.#assertOpen()
    try {
      this.#file.read(number)
      return true
    } catch (error) {
      return error instanceof StoreDamaged && this.#overlay.clearIfFree(number)
    }
  }

  /**
   * Calls a function in the next turn of the event loop after changes of these tables that a reader can see, before they are on disk.
   * @returns a function that unsubscribes
   */
  watch(tables: readonly string[] | 'all', call: () => void): () => void {
    const watcher = { tables, call }
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  get<Row>(sql: string, params?: SqlParams): Row | undefined {
    return this.#sqlite.get<Row>(sql, params)
  }

  all<Row>(sql: string, params?: SqlParams): Row[] {
    return this.#sqlite.all<Row>(sql, params)
  }

  /**
   * Runs `work` as one transaction and resolves with its result when the transaction is on disk. An error of `work` rolls it
   * back and is rethrown. Throws StoreUnavailable when it cannot be written, after rolling it back.
   */
  async transact<T>(work: (tx: Writer) => T): Promise<T> {
    try {
      return await this.#transact(work)
    } catch (error) {
      // The disk may have become full.
      if (error instanceof StoreUnavailable) void this.freeSpace.refresh().catch(() => {})
      throw error
    }
  }

  async #transact<T>(work: (tx: Writer) => T): Promise<T> {
    this.#assertOpen()
    if (this.#isFarBehind) {
      await this.#upkeep(async () => {})
      this.#assertOpen()
    }
    if (this.#refusal) throw this.#refusal
    // Checked first: on a full disk the transaction must not reach memory, where readers would see it.
    while (!this.#log.ready) {
      await this.#log.prepare()
      this.#assertOpen()
    }
    const { result, statements } = this.#run(work)
    if (statements.length === 0) {
      await this.settled()
    } else {
      await this.#log.append(statements)
      this.#checkpointWhenDue()
    }
    return result
  }

  /**
   * Resolves once everything that a reader can see now is on disk. Throws StoreUnavailable when that failed, or when memory
   * was reloaded since `epoch`: pass the epoch from before the first read.
   */
  async settled(epoch = this.#epoch): Promise<void> {
    await this.#log.pending
    if (this.#dirty || epoch !== this.#epoch) {
      if (this.#fence.error) throw this.#fence.error
      throw new StoreUnavailable('The data that was read could not be written to disk. Try again.')
    }
  }

  /**
   * Waits for a running checkpoint or backup, once the next checkpoint is due. For writers of much data, between their transactions:
   * otherwise journals and changed pages grow without limit.
   */
  async keepPace(): Promise<void> {
    if (this.#checkpointing && this.#isCheckpointDue) await this.#upkeep(async () => {})
  }

  /** Puts the changed pages in the database file, and removes the journals. Also runs automatically. */
  async checkpoint(): Promise<void> {
    this.#assertOpen()
    await this.#upkeep(() => this.#checkpoint())
  }

  async #checkpoint(): Promise<void> {
    const isUrgent = () => this.#closing !== undefined || this.#isFarBehind
    await (await tryLock(this.#files, this.#options.directory, isUrgent))?.release()
    await this.#finishCheckpoint()
    this.#sealedBytes += await this.#log.seal()
    if (this.#sealedBytes === 0) return
    const before = this.#log.firstSeq
    const pages = this.#freeze()
    // Memory may be ahead of the disk. If it cannot catch up, the changes are dropped.
    await this.settled().catch((error: unknown) => {
      this.#thaw(pages)
      throw error
    })
    if (this.#file.frozen !== pages) throw new StoreUnavailable('The changes could not be written to disk.')
    this.#unfinished = { pages, before, isWritten: false }
    await this.#finishCheckpoint()
  }

  /** Returns the changed pages as they are now. From here on, changes go to other ones. */
  #freeze(): Pages {
    if (this.#dirty) throw new StoreUnavailable('The disk accepts no writes.')
    setSeq(this.#sqlite, this.#log.lastSeq)
    const pages = this.#overlay.takeChanges()
    this.#file.frozen = pages
    return pages
  }

  /** Undoes `freeze`. */
  #thaw(pages: Pages | undefined): void {
    if (!pages || this.#file.frozen !== pages) return
    this.#overlay.putBack(pages)
    this.#file.frozen = undefined
  }

  async #finishCheckpoint(): Promise<void> {
    const checkpoint = this.#unfinished
    if (!checkpoint) return
    const { directory } = this.#options
    const { pages, before } = checkpoint
    if (!checkpoint.isWritten) await writeCheckpoint(this.#files, directory, pages)
    checkpoint.isWritten = true
    await finishCheckpoint(this.#files, directory, this.#file)
    this.#unfinished = undefined
    recycle(pages)
    this.#sealedBytes = 0
    await retireJournals(this.#files, directory, before)
    this.#checkpointAt = 0
  }

  /** Writes everything that a reader can see now as a one-file backup; see `exportBackup`. Returns its size in bytes. */
  async export(file: string, passphrase?: string): Promise<number> {
    this.#assertOpen()
    await this.settled()
    const { directory: dir, now } = this.#options
    return this.#readingDisk(() => this.#inBackground({ kind: 'export', dir, file, passphrase, at: now() }))
  }

  /** Writes everything that is on disk now to a compressed database; see `copyDatabase`. */
  async copyTo(
    file: string,
    { mayBePartial }: Pick<CopyOptions, 'mayBePartial'> = {},
  ): Promise<DatabaseCopy> {
    this.#assertOpen()
    const { directory: dir } = this.#options
    return this.#readingDisk(() =>
      this.#inBackground({ kind: 'copy', dir, file, options: { upTo: this.seq, mayBePartial } }),
    )
  }

  /** Runs work that reads the data on disk. If a journal may be damaged, runs it again after a checkpoint, because memory has its transactions. */
  #readingDisk<T>(work: () => Promise<T>): Promise<T> {
    return this.#upkeep(async () => {
      try {
        return await work()
      } catch (error) {
        const isDamaged = error instanceof StoreDamaged && isJournal(basename(error.file))
        // The error of a damaged sector names no file.
        if (!isDamaged && !isUnreadable(error)) throw error
        await this.#checkpoint()
        await this.#log.renew()
        return await work()
      }
    })
  }

  /** Makes transactions fail with this error, while reads go on; undefined permits them again. */
  refuseWrites(error: Error | undefined): void {
    this.#refusal = error
  }

  /** Calls `work` if the data come from a backup, until it has succeeded once. */
  async afterRestore(work: () => Promise<void>): Promise<void> {
    const mark = join(this.#options.directory, restoredMarkName)
    if (!(await exists(this.#files, mark))) return
    await work()
    await this.#files.remove(mark)
    await this.#files.syncDir(this.#options.directory)
  }

  /** Finds out whether another process may use the directory: `onLockLost` is called then. */
  async checkLock(): Promise<void> {
    await this.#fence.check().catch(() => {})
  }

  /** Ends a running backup, export or copy, which may take long, and refuses further ones. */
  endTasks(): void {
    this.#tasks.abort()
  }

  /** Ends running tasks, checkpoints and releases the lock. */
  close(): Promise<void> {
    this.endTasks()
    this.#closing ??= this.#shutDown()
    return this.#closing
  }

  async #shutDown(): Promise<void> {
    // If this fails, the journals have everything and the next start replays them.
    await this.#upkeep(() => this.#lastCheckpoint()).catch((error) => {
      if (!this.#fence.error) this.#options.onFault?.(error)
    })
    await this.#log.close().catch(() => {})
    this.#sqlite.close()
    await this.#file.close().catch(() => {})
    await this.#lock.release()
  }

  async #lastCheckpoint(): Promise<void> {
    await this.#log.repair()
    await this.#checkpoint()
  }

  #assertOpen(): void {
    if (this.#fence.error) throw this.#fence.error
    if (this.#closing !== undefined) throw new StoreUnavailable('The store is closed.')
  }

  #run<T>(work: (tx: Writer) => T): ReturnType<typeof runTransaction<T>> {
    if (this.#inTransaction) throw new Error('A transaction cannot contain another: pass its Writer on')
    this.#inTransaction = true
    try {
      return runTransaction(this.#sqlite, work, (tables) => this.#changed(tables))
    } finally {
      this.#inTransaction = false
    }
  }

  /** Drops the changed pages, and replays the journals. */
  async #reload(): Promise<void> {
    this.#dirty = true
    if (!this.#unfinished) this.#thaw(this.#file.frozen)
    const { directory } = this.#options
    const opened = await openPageFile(this.#file, 'quick')
    const { firstSeq, length } = this.#log
    try {
      await replayJournals(this.#files, directory, opened, { newest: { firstSeq, length } })
    } catch (error) {
      opened.sqlite.close()
      throw error
    }
    this.#sqlite.close()
    this.#sqlite = opened.sqlite
    this.#overlay = opened.overlay
    this.#dirty = false
    this.#changed('all')
    this.#epoch++
  }

  /** @param tables `all` after a reload, which increases `epoch` */
  #changed(tables: readonly string[] | 'all'): void {
    this.#commits++
    if (this.#unreported === undefined && this.#watchers.size > 0) {
      this.#unreported = new Set()
      void yieldToEventLoop().then(() => this.#callWatchers())
    }
    if (tables === 'all') {
      if (this.#unreported) this.#unreported = 'all'
      return
    }
    for (const table of tables) {
      this.#tableVersions.set(table, (this.#tableVersions.get(table) ?? 0) + 1)
      if (this.#unreported !== 'all') this.#unreported?.add(table)
    }
  }

  #callWatchers(): void {
    const changed = this.#unreported
    this.#unreported = undefined
    const isChanged = (table: string) => changed === 'all' || changed?.has(table) === true
    for (const { tables, call } of this.#watchers) {
      if (tables !== 'all' && !tables.some(isChanged)) continue
      try {
        call()
      } catch (error) {
        this.#options.onWatcherFault?.(error)
      }
    }
  }

  get #isCheckpointDue(): boolean {
    return this.#hasGrown(1)
  }

  /** Whether transactions must wait for the running checkpoint or backup, which no longer waits for that of another process. */
  get #isFarBehind(): boolean {
    return this.#checkpointing && this.#hasGrown(waitFactor)
  }

  /** Whether the journal or the changed pages have reached so many times the limit of a checkpoint. */
  #hasGrown(times: number): boolean {
    const { checkpointBytes = defaultCheckpointBytes } = this.#options
    return this.#log.length >= times * checkpointBytes || this.#overlay.changes >= times * checkpointPages
  }

  #checkpointWhenDue(): void {
    if (this.#checkpointing || this.#closing !== undefined || !this.#isCheckpointDue) return
    const bytes = this.#sealedBytes + this.#log.length
    if (bytes < this.#checkpointAt) return
    this.#checkpointing = true
    this.checkpoint()
      .catch((error: unknown) => {
        this.#checkpointAt = bytes + defaultCheckpointBytes
        this.#options.onFault?.(error)
      })
      .finally(() => {
        this.#checkpointing = false
      })
  }

  #inBackground<T extends Task>(task: T): Promise<TaskResult<T>> {
    const { files = nodeFiles, onUnloadable } = this.#options
    return runInBackground(files, task, onUnloadable, this.#tasks.signal)
  }
}

interface Watcher {
  readonly tables: readonly string[] | 'all'
  readonly call: () => void
}

/** Shrinks a database that is more than half free. If that fails, the store opens the unchanged one. */
async function compactWhenDue(
  files: Files,
  { directory, onCompacted, onUnloadable }: OpenOptions,
): Promise<void> {
  try {
    if (!(await canCompact(files, directory))) return
    const bytes = await runInBackground(files, { kind: 'compact', dir: directory }, onUnloadable)
    onCompacted?.(bytes)
  } catch {
    // The start reports damage, and a full disk.
  }
}

/** Checks a restored database in a worker. Returns undefined if there is no reason, or if it fails: the start reports why. */
async function verifyInBackground(
  files: Files,
  { directory: dir, onUnloadable }: OpenOptions,
): Promise<Uint8Array | undefined> {
  if (files !== nodeFiles || !(await isUnverified(files, dir))) return undefined
  return runInWorker({ kind: 'verify', dir }, onUnloadable).catch(() => undefined)
}
