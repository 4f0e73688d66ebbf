/** Migrations to what the network needs: events, moves, staged imports. */
import type { Migration } from './migrate.ts'

export function networkMigrations(): Migration[] {
  return [{ sql: imports() }]
}

/** See `tables/imports.ts`. */
function imports(): string {
  return `
    -- Repositories that are being imported.
    CREATE TABLE imports (
      id INTEGER PRIMARY KEY,
      did TEXT NOT NULL UNIQUE,
      is_committed INTEGER NOT NULL
    ) STRICT;

    -- The nodes of the new tree, in repo_blocks.
    CREATE TABLE import_blocks (
      import INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
      cid BLOB NOT NULL,
      is_new INTEGER NOT NULL,           -- whether the old tree does not have it
      PRIMARY KEY (import, cid)
    ) STRICT, WITHOUT ROWID;

    -- Records of the account that the import does not have.
    CREATE TABLE import_removals (
      record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
      import INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX import_removals_import ON import_removals (import);
  `
}
