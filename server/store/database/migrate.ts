/** Creates the schema of a new database, and upgrades that of an older one. */

import { StoreDamaged, StoreTooNew } from '../files/store-errors.ts'
import { schemaVersion } from '../pages/database-file.ts'
import type { Sqlite } from '../pages/sqlite.ts'

export interface Schema {
  /** Statements that create the newest version. */
  readonly sql: string
  /** Statements that lead from version 1 to the next, and so on to the newest. */
  readonly upgrades: readonly string[]
}

/** The version that the program writes, as `user_version`. */
export function newestVersion({ upgrades }: Schema): number {
  return 1 + upgrades.length
}

/** Throws StoreTooNew unless the database has a version that can be opened. @param file its name in errors */
export function checkVersion(file: string, sqlite: Sqlite, schema: Schema): void {
  const [version, newest] = [schemaVersion(sqlite), newestVersion(schema)]
  if (version > newest) throw new StoreTooNew(file, version, newest)
}

/**
 * Creates the schema of a database of version 0, or runs the pending upgrades, each in a transaction. Foreign keys are off
 * meanwhile, so that a table can be rebuilt, and are checked at the end. After an error the database is unusable: the file on disk
 * is that of the last call of `save`.
 * @param save called after each upgrade but the last one, so that the pages of few are in memory
 */
export async function migrate(
  sqlite: Sqlite,
  schema: Schema,
  save: () => Promise<void> = async () => {},
): Promise<void> {
  const version = schemaVersion(sqlite)
  const newest = newestVersion(schema)
  const pending = version === 0 ? [schema.sql] : schema.upgrades.slice(version - 1)
  // The rollback journal, and the cache if it cannot spill, would hold every changed page in memory. A failed upgrade is not rolled back.
  sqlite.exec('PRAGMA foreign_keys = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_spill = ON')
  for (const [at, statements] of pending.entries()) {
    const to = newest - pending.length + 1 + at
    sqlite.exec(`BEGIN; ${statements}; PRAGMA user_version = ${to}; COMMIT`)
    if (to < newest) await save()
  }
  sqlite.forget()
  const broken = findBroken(sqlite)
  if (broken) throw new Error(`An upgrade left rows in ${broken} that refer to missing rows`)
  sqlite.exec('PRAGMA cache_spill = OFF; PRAGMA journal_mode = MEMORY; PRAGMA foreign_keys = ON')
  sqlite.forget()
}

/** Returns a table with rows that refer to missing rows. Undefined also if a damaged page hides the answer: upgrades go on if they did not need that page. */
function findBroken(sqlite: Sqlite): string | undefined {
  try {
    return sqlite.get<{ table: string }>('PRAGMA foreign_key_check')?.table
  } catch (error) {
    if (error instanceof StoreDamaged) return undefined
    throw error
  }
}
