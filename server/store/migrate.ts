/** Runs schema migrations. */
import { schemaVersion } from './snapshot.ts'
import type { Sqlite } from './sqlite.ts'

/**
 * One step of the schema: statements, or a function that runs some. Its position, counted from 1, is the version it leads
 * to. A released step never changes.
 */
export type Migration = { readonly sql: string } | { readonly run: (sqlite: Sqlite) => void }

/**
 * Runs the pending migrations, each in a transaction. Foreign keys are off meanwhile, so that a table can be rebuilt, and
 * are checked at the end. After an error the database is unusable: the file on disk is the previous version.
 */
export function migrate(sqlite: Sqlite, migrations: readonly Migration[]): void {
  // Without a rollback journal, which would hold every changed page in memory.
  sqlite.exec('PRAGMA foreign_keys = OFF; PRAGMA journal_mode = OFF; PRAGMA secure_delete = OFF')
  for (let version = schemaVersion(sqlite) + 1; version <= migrations.length; version++) {
    sqlite.exec('BEGIN')
    const step = migrations[version - 1]
    if (step && 'sql' in step) sqlite.exec(step.sql)
    else step?.run(sqlite)
    sqlite.exec(`PRAGMA user_version = ${version}; COMMIT`)
    sqlite.forget()
  }
  const broken = sqlite.all<{ table: string }>('PRAGMA foreign_key_check')
  if (broken.length > 0)
    throw new Error(`A migration left rows in ${broken[0]?.table} that refer to missing rows`)
  // Leaves nothing of deleted rows in free pages.
  sqlite.exec('VACUUM')
  sqlite.exec('PRAGMA secure_delete = ON; PRAGMA journal_mode = MEMORY; PRAGMA foreign_keys = ON')
  sqlite.forget()
}
