/** The only file that imports sql.js: SQLite in memory, with cached statements and plain rows. */
import { setFlagsFromString } from 'node:v8'
import initSqlJs, { type Database as SqlJs, type Statement } from 'sql.js'
import { FrozenPages, type WriteWatch, watchWrites } from './frozen-pages.ts'
import { sizeWithRoom } from './memory.ts'

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

const maxStatements = 500
const noParams: SqlParams = []

export class Sqlite {
  readonly #db: SqlJs
  readonly #statements = new Map<string, Prepared>()
  #transaction: Record<'begin' | 'commit' | 'rollback', Statement> | undefined
  #pageBytes: number | undefined
  /**
   * The array in which sql.js keeps the file, until the file outgrows it or shrinks: then it is garbage, of a hundred megabytes or
   * more.
   */
  readonly #array: WeakRef<Uint8Array> | undefined
  readonly #writes: WriteWatch | undefined

  private constructor(db: SqlJs, array?: Uint8Array) {
    this.#db = db
    this.#array = array && new WeakRef(array)
    this.#writes = array && watchWrites(array)
  }

  /**
   * Opens a database in memory: an empty one, or the SQLite file in `bytes`, whose array it may take over. Throws when
   * that is not an SQLite file.
   */
  static async open(bytes?: Uint8Array): Promise<Sqlite> {
    const sqlJs = await initSqlJs()
    const array = bytes && withRoom(bytes)
    const sqlite = new Sqlite(new sqlJs.Database(bytes && array && asSlice(bytes, array)), array)
    try {
      sqlite.#configure()
      return sqlite
    } catch (error) {
      sqlite.close()
      throw error
    }
  }

  /** Size of the file, in bytes. */
  get size(): number {
    const count = this.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0
    this.#pageBytes ??= this.get<{ page_size: number }>('PRAGMA page_size')?.page_size ?? 0
    return count * this.#pageBytes
  }

  /** Bytes of pages that deletions have freed, for later rows. */
  get freeBytes(): number {
    const { size } = this
    const free = this.get<{ freelist_count: number }>('PRAGMA freelist_count')?.freelist_count ?? 0
    return size === 0 ? 0 : free * (this.#pageBytes ?? 0)
  }

  /** Whether the file can grow without a copy. */
  get hasRoom(): boolean {
    return this.#currentArray() !== undefined
  }

  /** Returns the first row of a query. Throws when the statement would write. */
  get<Row>(sql: string, params: SqlParams = noParams): Row | undefined {
    const prepared = this.#reading(sql)
    try {
      bind(prepared, params)
      return prepared.statement.step() ? rowOf<Row>(prepared) : undefined
    } finally {
      prepared.statement.reset()
    }
  }

  /** Returns all rows of a query. Throws when the statement would write. */
  all<Row>(sql: string, params: SqlParams = noParams): Row[] {
    return this.#rows<Row>(this.#reading(sql), params)
  }

  /** Whether a statement can change the database. */
  writes(sql: string): boolean {
    return this.#prepare(sql).effect !== 'nothing'
  }

  /** Runs one statement of any kind to completion. */
  execute<Row>(sql: string, params: SqlParams = noParams): Outcome<Row> {
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

  begin(): void {
    this.#transaction?.begin.run()
  }

  commit(): void {
    this.#transaction?.commit.run()
  }

  rollback(): void {
    this.#transaction?.rollback.run()
  }

  /** Runs statements without parameters, for the store's own schema and pragmas. */
  exec(sql: string): void {
    this.#db.run(sql)
  }

  /** Clears the statement cache: after a schema change, cached column names may be wrong. */
  forget(): void {
    for (const { statement } of this.#statements.values()) statement.free()
    this.#statements.clear()
  }

  /**
   * Returns the database as an SQLite file, valid until the next write: if possible the array that sql.js writes to, because
   * a copy of a large database doubles the memory of the process.
   */
  export(): Uint8Array {
    const array = this.#currentArray()
    if (array) return array.subarray(0, this.size)
    return this.#db.export()
  }

  /** Returns the SQLite file as it is now, to be read while it changes; undefined if sql.js has replaced its array. */
  freeze(): FrozenPages | undefined {
    const array = this.#currentArray()
    return array && this.#writes && new FrozenPages(array, this.#writes, this.size)
  }

  /** Returns the array that sql.js writes to; undefined if it has replaced the one that it was given. */
  #currentArray(): Uint8Array | undefined {
    const array = this.#array?.deref()
    if (!array || !this.#writes || this.size > array.length) return undefined
    const { count } = this.#writes
    // Writes a page without a lasting change: an array that was replaced is not written to any more.
    const version = this.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
    this.#db.run(`PRAGMA user_version = ${version + 1}; PRAGMA user_version = ${version}`)
    return this.#writes.count > count ? array : undefined
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  #configure(): void {
    // This copy has one user: no locks to take, no file to wait for, and a rollback journal in memory.
    // Deleted rows, such as the private key of an account, are overwritten with zeros.
    // The file is in memory too, so the cache can be small: of 300,000 records, queries take as long as with 8 MB, but with 2 MB up to
    // a fifth longer.
    this.#db.run(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON',
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
    const prepared = { statement, columns: statement.getColumnNames(), ...this.#effectOf(sql) }
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

  /** Reads the effect of a statement from SQLite's bytecode (EXPLAIN), because its text shows it only for SELECT. */
  #effectOf(sql: string): Pick<Prepared, 'effect' | 'tables'> {
    if (/^\s*SELECT\b/i.test(sql)) return { effect: 'nothing', tables: [] }
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

/**
 * sql.js keeps the file in the array that `bytes.slice()` returns. It copies a full array into one that is an eighth larger,
 * which blocks the thread for half a millisecond a megabyte or longer. So it gets a larger array: the buffer of the bytes if
 * that has room, or a copy.
 */
function withRoom(bytes: Uint8Array): Uint8Array {
  if (bytes.byteOffset === 0 && bytes.buffer.byteLength === sizeWithRoom(bytes.length)) {
    return new Uint8Array(bytes.buffer)
  }
  const array = new Uint8Array(2 * bytes.length)
  array.set(bytes)
  return array
}

/** Returns the bytes with a `slice()` that returns `array`. */
function asSlice(bytes: Uint8Array, array: Uint8Array): Uint8Array {
  return Object.assign(bytes.subarray(), { slice: () => array })
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
