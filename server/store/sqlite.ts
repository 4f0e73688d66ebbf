/** The one file that knows sql.js: SQLite in memory, with kept statements and plain rows. */
import { setFlagsFromString } from 'node:v8'
import initSqlJs, { type Database as SqlJs, type Statement } from 'sql.js'

/** Booleans are stored as 0 and 1, times as ISO 8601 text with milliseconds and Z. */
export type SqlValue = string | number | Uint8Array | null
export type SqlParams = readonly SqlValue[]

/** What running a statement can change. */
type Effect =
  | 'nothing'
  /** Rows; none if its own count of rows is 0. */
  | 'rows'
  /** Rows, also through a trigger or a foreign key. */
  | 'rows of others'
  /** More than rows: the schema, or the next number of an AUTOINCREMENT. */
  | 'more'

interface Kept {
  readonly statement: Statement
  readonly columns: string[]
  readonly effect: Effect
}

export interface Outcome<Row> {
  readonly rows: Row[]
  /** Rows that the statement itself inserted, updated or deleted. */
  readonly changes: number
  /** Whether the database may differ from before. */
  readonly changed: boolean
}

// V8 optimizes SQLite's code in many threads at once, and what each took stays with the process: one thread takes 13 MB less.
setFlagsFromString('--wasm-num-compilation-tasks=1')

const keptStatements = 500
const noParams: SqlParams = []

export class Sqlite {
  readonly #db: SqlJs
  readonly #kept = new Map<string, Kept>()

  #transaction: Record<'begin' | 'commit' | 'rollback', Statement> | undefined
  /** The array in which sql.js keeps the file, as long as that does not outgrow it. */
  readonly #array: Uint8Array | undefined

  private constructor(db: SqlJs, array?: Uint8Array) {
    this.#db = db
    this.#array = array
  }

  /**
   * Opens a database in memory: an empty one, or a copy of the SQLite file in `bytes`. Throws when that is
   * not one.
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

  /** The first row of a query. Throws when the statement would write. */
  get<Row>(sql: string, params: SqlParams = noParams): Row | undefined {
    const kept = this.#reading(sql)
    try {
      bind(kept, params)
      return kept.statement.step() ? rowOf<Row>(kept) : undefined
    } finally {
      kept.statement.reset()
    }
  }

  /** Every row of a query. Throws when the statement would write. */
  all<Row>(sql: string, params: SqlParams = noParams): Row[] {
    return this.#rows<Row>(this.#reading(sql), params)
  }

  /** Whether a statement can change the database. */
  writes(sql: string): boolean {
    return this.#prepare(sql).effect !== 'nothing'
  }

  /** Runs one statement of any kind to its end. */
  execute<Row>(sql: string, params: SqlParams = noParams): Outcome<Row> {
    const kept = this.#prepare(sql)
    const before = kept.effect === 'rows of others' ? this.#totalChanges() : 0
    const rows = this.#rows<Row>(kept, params)
    const changes = kept.effect === 'nothing' ? 0 : this.#db.getRowsModified()
    const changed =
      kept.effect === 'more' ||
      (kept.effect === 'rows of others' ? this.#totalChanges() !== before : changes > 0)
    return { rows, changes: changed ? changes : 0, changed }
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

  /** Runs statements without values, one after the other; for the store's own work. */
  exec(sql: string): void {
    this.#db.run(sql)
  }

  /** Drops the kept statements: after a change of the schema their column names may be wrong. */
  forget(): void {
    for (const { statement } of this.#kept.values()) statement.free()
    this.#kept.clear()
  }

  /**
   * The database as an SQLite file. Valid until the next write: it is the array that sql.js writes to, if possible, because
   * a copy of a large database doubles the memory of the process.
   */
  export(): Uint8Array {
    const size = this.get<{ bytes: number }>(
      'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
    )
    if (this.#array && size && size.bytes <= this.#array.length) return this.#array.subarray(0, size.bytes)
    // sql.js closes the file to read it, and opens it again.
    const copy = this.#db.export()
    this.#kept.clear()
    this.#configure()
    return copy
  }

  close(): void {
    this.#kept.clear()
    this.#db.close()
  }

  #configure(): void {
    // This copy has one user: no locks to take, no file to wait for, and a rollback journal in memory.
    // Deleted rows, such as the private key of an account, are overwritten with zeros.
    this.#db.run(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON',
    )
    this.#transaction = {
      begin: this.#db.prepare('BEGIN'),
      commit: this.#db.prepare('COMMIT'),
      rollback: this.#db.prepare('ROLLBACK'),
    }
  }

  #rows<Row>(kept: Kept, params: SqlParams): Row[] {
    const rows: Row[] = []
    try {
      bind(kept, params)
      while (kept.statement.step()) rows.push(rowOf<Row>(kept))
    } finally {
      kept.statement.reset()
    }
    return rows
  }

  #reading(sql: string): Kept {
    const kept = this.#prepare(sql)
    if (kept.effect !== 'nothing') throw new Error(`This statement writes and belongs in transact(): ${sql}`)
    return kept
  }

  #prepare(sql: string): Kept {
    const known = this.#kept.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    if (statement.getSQL().trim() !== sql.trim()) {
      statement.free()
      throw new Error(`One statement at a time: ${sql}`)
    }
    const kept = { statement, columns: statement.getColumnNames(), effect: this.#effectOf(sql) }
    this.#evict()
    this.#kept.set(sql, kept)
    return kept
  }

  #evict(): void {
    if (this.#kept.size < keptStatements) return
    for (const [sql, { statement }] of this.#kept) {
      statement.free()
      this.#kept.delete(sql)
      return
    }
  }

  /** Asks SQLite itself, by the program that it compiles the statement to: the text alone does not tell. */
  #effectOf(sql: string): Effect {
    const program = this.#db.exec(`EXPLAIN ${sql}`)[0]?.values ?? []
    const opcodes = new Set(program.map((row) => row[1]))
    if (opcodes.has('AutoCommit') || opcodes.has('Savepoint')) {
      throw new Error(`Transactions are made by transact(), not by a statement: ${sql}`)
    }
    if (!program.some((row) => row[1] === 'Transaction' && row[3] !== 0)) return 'nothing'
    if (['SetCookie', 'ParseSchema', 'MemMax'].some((opcode) => opcodes.has(opcode))) return 'more'
    return opcodes.has('Program') ? 'rows of others' : 'rows'
  }

  /** Rows changed since the start, by triggers and foreign keys as well. */
  #totalChanges(): number {
    return this.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0
  }
}

/**
 * sql.js keeps the file in the array that `slice` of the given bytes yields. When that is full it copies everything into one
 * that is an eighth larger, which stops the thread for half a millisecond a megabyte or longer. So it gets an array with room
 * to double in: the buffer of the bytes if that is large enough, or a copy. Room that is not written to takes no memory.
 */
function withRoom(bytes: Uint8Array): Uint8Array {
  const size = bytes.length * 2
  if (bytes.byteOffset === 0 && bytes.buffer.byteLength === size) return new Uint8Array(bytes.buffer)
  const array = new Uint8Array(size)
  array.set(bytes)
  return array
}

function asSlice(bytes: Uint8Array, array: Uint8Array): Uint8Array {
  return Object.assign(bytes.subarray(), { slice: () => array })
}

function bind({ statement }: Kept, params: SqlParams): void {
  statement.bind(params.map(bindable))
}

/**
 * Refuses what SQL would silently turn into something else. A lone surrogate has no UTF-8, so it becomes
 * U+FFFD.
 */
function bindable(value: SqlValue): SqlValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (value === null || value instanceof Uint8Array || Number.isFinite(value)) return value
  throw new TypeError(`Not a value that SQL can hold: ${String(value)}`)
}

function rowOf<Row>({ statement, columns }: Kept): Row {
  const values = statement.get()
  const row: Record<string, SqlValue> = {}
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i] as SqlValue
  return row as Row
}
