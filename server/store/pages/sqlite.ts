/** The only file that imports sql.js: SQLite with cached statements and plain rows. */

import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { LRUCache } from 'lru-cache'
import initSqlJs, { type Database as SqlJs, type Statement } from 'sql.js'
import { StoreDamaged } from '../files/store-errors.ts'
import { pageBytes } from './page.ts'
import { PageOverlay } from './page-overlay.ts'

/** Booleans are stored as 0 and 1, times as ISO 8601 text with milliseconds and Z. */
export type SqlValue = string | number | Uint8Array | null
export type SqlParams = readonly SqlValue[]

/** The changes that a statement can make, which decide how `execute` detects them. */
type Effect =
  | 'nothing'
  /** Only rows that the statement itself counts. */
  | 'rows'
  /** Also rows that triggers and foreign keys change: only SQLite's total count includes them. */
  | 'rows by triggers'
  /** More than rows, such as the schema or the next AUTOINCREMENT number: always counts as a change. */
  | 'more'

type EffectOnTables = Pick<Prepared, 'effect' | 'tables'>

interface Prepared {
  readonly statement: Statement
  readonly columns: string[]
  readonly effect: Effect
  /** Tables that the statement can write to, also through triggers and foreign keys. */
  readonly tables: readonly string[]
}

export interface Outcome<Row> {
  readonly rows: Row[]
  /** Rows that the statement itself inserted, updated or deleted. */
  readonly changes: number
  /** Tables that may differ from before; undefined if none does. */
  readonly changedTables: readonly string[] | undefined
}

// V8 optimizes SQLite's code in many threads, and the process keeps the memory of each: one thread takes 13 MB less.
setFlagsFromString('--wasm-num-compilation-tasks=1')

const wasmFile = fileURLToPath(import.meta.resolve('sql.js/dist/sql-wasm.wasm'))
const maxStatements = 500
/** Memory for pages, which are read from disk otherwise. */
const cacheKiB = 32 * 1024
const chunkBytes = 64 * pageBytes
const noParams: SqlParams = []

export class Sqlite {
  readonly #db: SqlJs
  readonly #statements = new Map<string, Prepared>()
  #transaction: Record<'begin' | 'commit' | 'rollback', Statement> | undefined
  readonly #overlay: PageOverlay | undefined
  #effects: LRUCache<string, EffectOnTables> | undefined

  private constructor(db: SqlJs, overlay?: PageOverlay) {
    this.#db = db
    this.#overlay = overlay
  }

  /** Opens a database: an empty one in memory, a copy of an SQLite file in memory, or pages on disk. Throws when it is no SQLite file. */
  static async open(source?: Uint8Array | PageOverlay): Promise<Sqlite> {
    const sqlJs = await initSqlJs({ locateFile: () => wasmFile })
    const isOnDisk = source instanceof PageOverlay
    refusal ??= refusalOf(sqlJs)
    const data = isOnDisk ? source.source(refusal) : source
    let sqlite: Sqlite | undefined
    try {
      sqlite = new Sqlite(new sqlJs.Database(data as Uint8Array | undefined), isOnDisk ? source : undefined)
      sqlite.#configure()
      return sqlite
    } catch (error) {
      sqlite?.close()
      throw (isOnDisk && source.takeFailure()) || error
    }
  }

  /** Size of the file, in bytes. */
  get size(): number {
    return pageBytes * (this.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0)
  }

  /** Returns the first row of a query. Throws when the statement would write. */
  get<Row>(sql: string, params: SqlParams = noParams): Row | undefined {
    return this.#checked(() => {
      const prepared = this.#reading(sql)
      try {
        bind(prepared, params)
        return prepared.statement.step() ? rowOf<Row>(prepared) : undefined
      } finally {
        prepared.statement.reset()
      }
    })
  }

  /** Returns all rows of a query. Throws when the statement would write. */
  all<Row>(sql: string, params: SqlParams = noParams): Row[] {
    return this.#checked(() => this.#rows<Row>(this.#reading(sql), params))
  }

  /** Whether a statement can change the database. */
  writes(sql: string): boolean {
    return this.#checked(() => this.#prepare(sql).effect !== 'nothing')
  }

  /** Runs one statement of any kind to completion. */
  execute<Row>(sql: string, params: SqlParams = noParams): Outcome<Row> {
    return this.#checked(() => this.#execute<Row>(sql, params))
  }

  #execute<Row>(sql: string, params: SqlParams): Outcome<Row> {
    const prepared = this.#prepare(sql)
    const before = prepared.effect === 'rows by triggers' ? this.#totalChanges() : 0
    const rows = this.#rows<Row>(prepared, params)
    const changes = prepared.effect === 'nothing' ? 0 : this.#db.getRowsModified()
    const changed =
      prepared.effect === 'more' ||
      changes > 0 ||
      (prepared.effect === 'rows by triggers' && this.#totalChanges() !== before)
    return { rows, changes: changed ? changes : 0, changedTables: changed ? prepared.tables : undefined }
  }

  /**
   * Runs transactions without their results. SQLite commits `together` of them at once; an error rolls back those that are not
   * committed, and is rethrown.
   */
  replay(
    transactions: Iterable<readonly (readonly [sql: string, params: SqlParams])[]>,
    together: number,
  ): void {
    this.#checked(() => this.#replay(transactions, together))
  }

  #replay(
    transactions: Iterable<readonly (readonly [sql: string, params: SqlParams])[]>,
    together: number,
  ): void {
    const prepared = new Map<string, Statement>()
    let count = 0
    this.begin()
    try {
      for (const statements of transactions) {
        if (count > 0 && count % together === 0) {
          this.commit()
          this.begin()
        }
        for (const [sql, params] of statements) {
          const statement = prepared.get(sql) ?? this.#db.prepare(sql)
          prepared.set(sql, statement)
          statement.run(params as SqlValue[])
        }
        count++
      }
      this.commit()
    } catch (error) {
      this.rollback()
      throw error
    } finally {
      for (const statement of prepared.values()) statement.free()
    }
  }

  begin(): void {
    this.#checked(() => this.#transaction?.begin.run())
  }

  commit(): void {
    this.#checked(() => this.#transaction?.commit.run())
  }

  /** Does nothing if a failed read has ended the transaction: SQLite has rolled it back. */
  rollback(): void {
    try {
      this.#transaction?.rollback.run()
    } catch (error) {
      if (!String(error).includes('no transaction is active')) throw error
    }
  }

  /** Runs statements without parameters, for the store's own schema and pragmas. */
  exec(sql: string): void {
    this.#checked(() => this.#db.run(sql))
  }

  /** Clears the statement cache: after a schema change, cached column names may be wrong. */
  forget(): void {
    for (const { statement } of this.#statements.values()) statement.free()
    this.#statements.clear()
    this.#effects = undefined
  }

  /** Returns the numbers of the damaged pages, without free ones. */
  damagedPages(): Set<number> {
    const damaged = new Set<number>()
    const overlay = this.#overlay
    const count = overlay ? this.size / pageBytes : 0
    for (let number = 1; overlay && number <= count; number++) {
      try {
        pageOrEmpty(overlay, number)
      } catch (error) {
        if (!(error instanceof StoreDamaged)) throw error
        damaged.add(number)
      }
    }
    return damaged
  }

  /** Yields the bytes of the SQLite file, which must not change meanwhile. @param without pages that are replaced by zeros */
  *chunks(without: ReadonlySet<number> = new Set()): Generator<Uint8Array> {
    const overlay = this.#overlay
    if (!overlay) return yield this.#db.export()
    const { size } = this
    for (let start = 0; start < size; start += chunkBytes) {
      const end = Math.min(start + chunkBytes, size)
      const chunk = Buffer.alloc(end - start)
      for (let at = start; at < end; at += pageBytes) {
        const number = at / pageBytes + 1
        if (!without.has(number)) chunk.set(pageOrEmpty(overlay, number), at - start)
      }
      yield chunk
    }
  }

  /** Returns the file without free pages, in memory as a whole. Row ids stay. */
  async compacted(): Promise<Uint8Array> {
    const target = new (await initSqlJs({ locateFile: () => wasmFile })).Database()
    try {
      this.#checked(() => this.#db.run(`VACUUM INTO '${Reflect.get(target, 'filename')}'`))
      return target.export()
    } finally {
      target.close()
    }
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  /** Throws StoreDamaged or StoreUnavailable if a page could not be read, also when SQLite goes on. */
  #checked<T>(work: () => T): T {
    let result: T
    try {
      result = work()
    } catch (error) {
      throw this.#overlay?.takeFailure() ?? error
    }
    const failure = this.#overlay?.takeFailure()
    if (failure) throw failure
    return result
  }

  #configure(): void {
    // The database has one user, so it needs no locks; the rollback journal is in memory.
    // Deleted rows, such as the private key of an account, are overwritten with zeros.
    // Pages that a transaction has changed stay in SQLite's cache until it ends: if it wrote them earlier, a rollback would shorten the file.
    this.#db.run(
      `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;
       PRAGMA cache_size = -${cacheKiB}; PRAGMA cache_spill = OFF; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON`,
    )
    this.#transaction = {
      begin: this.#db.prepare('BEGIN'),
      commit: this.#db.prepare('COMMIT'),
      rollback: this.#db.prepare('ROLLBACK'),
    }
  }

  #rows<Row>(prepared: Prepared, params: SqlParams): Row[] {
    const rows: Row[] = []
    try {
      bind(prepared, params)
      while (prepared.statement.step()) rows.push(rowOf<Row>(prepared))
    } finally {
      prepared.statement.reset()
    }
    return rows
  }

  #reading(sql: string): Prepared {
    const prepared = this.#prepare(sql)
    if (prepared.effect !== 'nothing')
      throw new Error(`This statement writes and belongs in transact(): ${sql}`)
    return prepared
  }

  #prepare(sql: string): Prepared {
    const cached = this.#statements.get(sql)
    if (cached !== undefined) return cached
    const statement = this.#db.prepare(sql)
    if (statement.getSQL().trim() !== sql.trim()) {
      statement.free()
      throw new Error(`SQL must be one statement: ${sql}`)
    }
    const prepared = { statement, columns: statement.getColumnNames(), ...this.#knownEffectOf(sql) }
    this.#evict()
    this.#statements.set(sql, prepared)
    return prepared
  }

  #evict(): void {
    if (this.#statements.size < maxStatements) return
    for (const [sql, { statement }] of this.#statements) {
      statement.free()
      this.#statements.delete(sql)
      return
    }
  }

  #knownEffectOf(sql: string): EffectOnTables {
    if (/^\s*SELECT\b/i.test(sql)) return { effect: 'nothing', tables: [] }
    this.#effects ??= effectsFor(this.#schema())
    const known = this.#effects.get(sql) ?? this.#effectOf(sql)
    this.#effects.set(sql, known)
    return known
  }

  #schema(): string {
    return JSON.stringify(this.#db.exec('SELECT sql FROM sqlite_schema'))
  }

  /** Reads the effect of a statement from SQLite's bytecode (EXPLAIN), because its text shows it only for SELECT. */
  #effectOf(sql: string): EffectOnTables {
    const program = this.#db.exec(`EXPLAIN ${sql}`)[0]?.values ?? []
    const opcodes = new Set(program.map((row) => row[1]))
    if (opcodes.has('AutoCommit') || opcodes.has('Savepoint')) {
      throw new Error(`Transactions are made by transact(), not by a statement: ${sql}`)
    }
    if (!program.some((row) => row[1] === 'Transaction' && row[3] !== 0))
      return { effect: 'nothing', tables: [] }
    const tables = this.#tablesWrittenBy(program)
    if (['SetCookie', 'ParseSchema', 'MemMax'].some((opcode) => opcodes.has(opcode))) {
      return { effect: 'more', tables }
    }
    return { effect: opcodes.has('Program') ? 'rows by triggers' : 'rows', tables }
  }

  /** Returns the tables that a statement writes. @param program its bytecode, with that of triggers and foreign keys */
  #tablesWrittenBy(program: readonly (readonly unknown[])[]): string[] {
    const schema = this.#db.exec('SELECT rootpage, tbl_name FROM sqlite_schema')[0]?.values ?? []
    const tables = new Map(schema.map(([page, table]) => [page, String(table)]))
    // Operands P1 to P3 are the columns 2 to 4: OpenWrite names a root page in P2, Clear in P1.
    const written = program.map((row) => (row[1] === 'OpenWrite' ? row[3] : row[1] === 'Clear' && row[2]))
    return [
      ...new Set(written.map((page) => tables.get(page as number)).filter((name) => name !== undefined)),
    ]
  }

  /** Rows changed since the start, by triggers and foreign keys as well. */
  #totalChanges(): number {
    return this.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0
  }
}

/** Returns a page; zeros for a damaged one that is free. @throws StoreDamaged */
function pageOrEmpty(overlay: PageOverlay, number: number): Uint8Array {
  try {
    return overlay.page(number)
  } catch (error) {
    if (error instanceof StoreDamaged && overlay.clearIfFree(number)) return overlay.page(number)
    throw error
  }
}

/** The effects of statements on databases with the last schema. Data are opened anew after each failed write. */
let known: { readonly schema: string; readonly effects: LRUCache<string, EffectOnTables> } | undefined

function effectsFor(schema: string): LRUCache<string, EffectOnTables> {
  if (known?.schema !== schema) known = { schema, effects: new LRUCache({ max: maxStatements }) }
  return known.effects
}

let refusal: unknown

/**
 * Returns an error of sql.js's file system, which it passes to SQLite as a failed read. Any other error would leave SQLite in the middle
 * of its work.
 */
function refusalOf(sqlJs: Awaited<ReturnType<typeof initSqlJs>>): unknown {
  try {
    new sqlJs.Database({ subarray: () => undefined, length: -1 } as unknown as Uint8Array)
  } catch (error) {
    if ((error as Error | undefined)?.name === 'ErrnoError') return error
  }
  throw new Error('This version of sql.js reports errors of files in another way')
}

function bind({ statement }: Prepared, params: SqlParams): void {
  statement.bind(params.map(bindable))
}

/** Rejects values that SQLite would silently convert. Replaces lone surrogates, which have no UTF-8 form, by U+FFFD. */
function bindable(value: SqlValue): SqlValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (value === null || value instanceof Uint8Array || Number.isFinite(value)) return value
  throw new TypeError(`SQL cannot store this value: ${String(value)}`)
}

function rowOf<Row>({ statement, columns }: Prepared): Row {
  const values = statement.get()
  const row: Record<string, SqlValue> = {}
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i] as SqlValue
  return row as Row
}
