/** Fills a data folder by the SQLite of Node.js, with the functions of the tables: several times faster than through the store. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { SqlParams, Writer } from '../../../server/store/database.ts'
import { databaseName, isData } from '../../../server/store/files/layout.ts'
import { openStore } from '../seed.ts'

/** Looks up an id that never changes. A tenth of the time goes there without a cache. */
const looksUpId = /^SELECT id FROM (actors|collections) WHERE \w+ = \?$/

interface Prepared {
  readonly statement: StatementSync
  /** Rows that were found, by parameter. */
  readonly ids: Map<unknown, unknown> | undefined
}

export class NativeStore implements Writer, Disposable {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, Prepared>()

  private constructor(file: string) {
    this.#db = new DatabaseSync(file)
    this.#db.exec(
      'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -1000000; BEGIN',
    )
  }

  /**
   * Creates a data folder with an empty database. Only the SQLite file stays, as if a person had copied it here: the next start of the
   * server checks it and adds its other files.
   */
  static async create(dir: string): Promise<NativeStore> {
    const store = await openStore(dir)
    await store.checkpoint()
    await store.close()
    const others = (await readdir(dir)).filter((name) => isData(name) && name !== databaseName)
    for (const name of others) await rm(join(dir, name))
    return new NativeStore(join(dir, databaseName))
  }

  /** Size of the database in bytes. */
  get bytes(): number {
    const row = this.get<{ bytes: number }>(
      'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
    )
    return row?.bytes ?? 0
  }

  get<Row>(sql: string, params: SqlParams = []): Row | undefined {
    const { statement, ids } = this.#prepare(sql)
    const row = ids?.get(params[0]) ?? statement.get(...params)
    if (row !== undefined) ids?.set(params[0], row)
    return row as Row | undefined
  }

  all<Row>(sql: string, params: SqlParams = []): Row[] {
    return this.#prepare(sql).statement.all(...params) as Row[]
  }

  run(sql: string, params: SqlParams = []): number {
    return Number(this.#prepare(sql).statement.run(...params).changes)
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const ids = looksUpId.test(sql) ? new Map() : undefined
    const prepared = { statement: this.#db.prepare(sql), ids }
    this.#statements.set(sql, prepared)
    return prepared
  }

  /** Writes everything to the file. */
  [Symbol.dispose](): void {
    this.#db.exec('COMMIT')
    this.#db.close()
  }
}
