/** Runs one transaction in memory and records its statements for the journal. */
import { type EncodedStatement, encodeStatement } from '../journal/journal-statements.ts'
import type { Reader } from '../pages/reader.ts'
import type { Sqlite, SqlParams } from '../pages/sqlite.ts'

/** Statements are replayed after a crash: bind times, random values and ids, never compute them in SQL. */
export interface Writer extends Reader {
  /** Returns the number of inserted, updated or deleted rows. */
  run(sql: string, params?: SqlParams): number
}

/**
 * Runs `work` as one transaction. Returns its result and the statements that changed the database. Calls
 * `onChange` with the changed tables at every change that a reader can see, also at a rollback. An error of `work` rolls back and is rethrown.
 */
export function runTransaction<T>(
  sqlite: Sqlite,
  work: (tx: Writer) => T,
  onChange: (tables: readonly string[]) => void,
): { result: T; statements: EncodedStatement[] } {
  const statements: EncodedStatement[] = []
  const changed = new Set<string>()
  let open = true
  const execute = <Row>(sql: string, params: SqlParams = []) => {
    if (!open) throw new Error('This transaction has ended')
    const outcome = sqlite.execute<Row>(sql, params)
    if (outcome.changedTables) {
      statements.push(encodeStatement(sql, params))
      for (const table of outcome.changedTables) changed.add(table)
      onChange(outcome.changedTables)
    }
    return outcome
  }
  const tx: Writer = {
    get: <Row>(sql: string, params?: SqlParams) =>
      sqlite.writes(sql) ? execute<Row>(sql, params).rows[0] : sqlite.get<Row>(sql, params),
    all: <Row>(sql: string, params?: SqlParams) => execute<Row>(sql, params).rows,
    run: (sql, params) => execute(sql, params).changes,
  }
  sqlite.begin()
  try {
    const result = work(tx)
    if (result instanceof Promise)
      throw new TypeError('A transaction must not wait: its work returned a promise')
    sqlite.commit()
    return { result, statements }
  } catch (error) {
    sqlite.rollback()
    if (statements.length > 0) onChange([...changed])
    throw error
  } finally {
    open = false
  }
}
