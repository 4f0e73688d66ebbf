/** Runs schema migrations. */
import { schemaVersion } from './snapshot.ts'
import type { Sqlite } from './sqlite.ts'

/** One step of the schema. Its position, counted from 1, is the version it leads to. A released step never changes. */
export interface Migration {
  /** One or more statements. */
  readonly sql: string
}

/**
 * Runs the pending migrations, each in a transaction. Foreign keys are off meanwhile, so that a table can be rebuilt, and
 * are checked at the end.
 */
export function migrate(sqlite: Sqlite, migrations: readonly Migration[]): void {
  sqlite.exec('PRAGMA foreign_keys = OFF')
  for (let version = schemaVersion(sqlite) + 1; version <= migrations.length; version++) {
    sqlite.exec(`BEGIN; ${migrations[version - 1]?.sql}; PRAGMA user_version = ${version}; COMMIT`)
  }
  const broken = sqlite.all<{ table: string }>('PRAGMA foreign_key_check')
  if (broken.length > 0)
    throw new Error(`A migration left rows in ${broken[0]?.table} that refer to missing rows`)
  sqlite.exec('PRAGMA foreign_keys = ON')
  sqlite.forget()
}
