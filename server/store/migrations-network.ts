/** Migrations to what the network needs: events, moves, staged imports. */
import type { Migration } from './migrate.ts'

export function networkMigrations(): Migration[] {
  return [{ sql: revisions() }, { sql: imports() }, { sql: events() }]
}

/** The commit that wrote each block and record, for exports of what is newer than a revision. */
function revisions(): string {
  return `
    ALTER TABLE repo_blocks ADD COLUMN rev TEXT; -- null: not known
    ALTER TABLE records ADD COLUMN rev TEXT;     -- null: not known
  `
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

/** See `tables/events.ts`. */
function events(): string {
  return `
    -- The event stream of the repositories, as it is sent. Rows are added at the end and deleted at the beginning.
    CREATE TABLE events (
      seq INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,                -- commit, sync, identity or account
      did TEXT NOT NULL,
      created_at INTEGER NOT NULL,       -- milliseconds
      frame BLOB NOT NULL
    ) STRICT;

    CREATE TABLE event_state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      last_seq INTEGER NOT NULL,         -- of the last event, which may have been deleted
      outdated_seq INTEGER NOT NULL,     -- of the last event that retention deleted; 0: none
      bytes INTEGER NOT NULL             -- of all frames
    ) STRICT;
    INSERT INTO event_state (id, last_seq, outdated_seq, bytes) VALUES (1, 0, 0, 0);
  `
}
