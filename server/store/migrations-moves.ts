/** Migrations of moves: when writes stop, which media are missing, and which records are left out of the index. */
import type { Migration } from './migrate.ts'

export function moveMigrations(): Migration[] {
  return [{ sql: stopsAndMissingMedia() }]
}

/** See `tables/omitted-records.ts`. */
export function omittedRecords(): string {
  return `
    CREATE TABLE omitted_records (
      actor INTEGER NOT NULL REFERENCES actors (id),
      key TEXT NOT NULL,                 -- collection/rkey, as in the tree
      cid BLOB NOT NULL,
      bytes BLOB NOT NULL,               -- DAG-CBOR
      reason TEXT NOT NULL,              -- integer, key
      rev TEXT NOT NULL,
      PRIMARY KEY (actor, key)
    ) STRICT;
    CREATE INDEX omitted_records_cid ON omitted_records (actor, cid);
  `
}

/** See `tables/moves.ts` and `tables/missing-media.ts`. */
function stopsAndMissingMedia(): string {
  return `
    ALTER TABLE moves ADD COLUMN writes_stopped INTEGER NOT NULL DEFAULT 0;   -- whether this server refuses writes of the account
    ALTER TABLE moves ADD COLUMN identity_changed INTEGER NOT NULL DEFAULT 0; -- whether the DID may name the new server
    ALTER TABLE moves ADD COLUMN copied_rev TEXT;                             -- revision that the copy got at the new server
    ALTER TABLE moves ADD COLUMN without_later INTEGER NOT NULL DEFAULT 0;    -- consent to leave later records behind
    ALTER TABLE moves DROP COLUMN blobs_missing;
    UPDATE moves SET identity_changed = 1, writes_stopped = direction = 'out'
      WHERE ended_at IS NULL AND (operation IS NOT NULL OR step IN ('activation', 'deactivation'));

    -- Files that a move could not copy.
    CREATE TABLE missing_media (
      account INTEGER NOT NULL REFERENCES moves (account) ON DELETE CASCADE,
      cid TEXT NOT NULL,
      record TEXT,                       -- URI of a record that refers to it
      reason TEXT NOT NULL,              -- notFound, tooLarge, wrongBytes
      is_accepted INTEGER NOT NULL,      -- whether the owner agreed to move without it
      PRIMARY KEY (account, cid)
    ) STRICT, WITHOUT ROWID;
  `
}
