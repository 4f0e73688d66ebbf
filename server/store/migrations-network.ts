/** Migrations to what the network needs: events, moves, staged imports. */
import type { Migration } from './migrate.ts'

export function networkMigrations(): Migration[] {
  return [moves()]
}

function moves(): Migration {
  return {
    sql: `
      -- Accounts that move to this server or to another one.
      CREATE TABLE moves (
        account INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
        direction TEXT NOT NULL,         -- in, out
        peer TEXT NOT NULL,              -- origin of the other server
        handle TEXT NOT NULL,            -- at the server that the account moves to
        access_jwt TEXT,                 -- session at the other server, until the move has ended
        refresh_jwt TEXT,
        by_admin INTEGER NOT NULL,
        step TEXT NOT NULL,
        need TEXT,                       -- what the owner must do: code, signIn, document
        error TEXT,
        rev TEXT,                        -- of the repository that was copied
        copies INTEGER NOT NULL DEFAULT 0,
        operation TEXT,                  -- JSON, signed
        credentials TEXT,                -- JSON: for the document of a did:web
        blobs_expected INTEGER,
        blobs_copied INTEGER NOT NULL DEFAULT 0,
        blobs_missing INTEGER NOT NULL DEFAULT 0,
        bytes_copied INTEGER NOT NULL DEFAULT 0,
        started_at INTEGER NOT NULL,     -- milliseconds since 1970
        updated_at INTEGER NOT NULL,
        ended_at INTEGER
      ) STRICT;`,
  }
}
