/** Migrations to what the network needs: events, moves, staged imports. */
import type { Migration } from './migrate.ts'

export function networkMigrations(): Migration[] {
  return [{ sql: identities() }]
}

function identities(): string {
  return `
    -- Operations that follow the first one of an identity which no directory has yet.
    CREATE TABLE plc_operations (
      did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
      number INTEGER NOT NULL,           -- 1, 2, …
      operation TEXT NOT NULL,           -- JSON
      PRIMARY KEY (did, number)
    ) STRICT, WITHOUT ROWID;

    -- Operations that were sent to the directory, until it is known whether it has them.
    CREATE TABLE plc_changes (
      did TEXT PRIMARY KEY REFERENCES accounts (did) ON DELETE CASCADE,
      operation TEXT NOT NULL,           -- JSON
      handle TEXT UNIQUE                 -- what the account gets then; reserved until then
    ) STRICT, WITHOUT ROWID;
  `
}
