/** Reads a database by SQL. */
import type { SqlParams } from './sqlite.ts'

export interface Reader {
  /** The first row, or undefined. Values are bound to the statement's `?`. */
  get<Row>(sql: string, params?: SqlParams): Row | undefined
  all<Row>(sql: string, params?: SqlParams): Row[]
}
