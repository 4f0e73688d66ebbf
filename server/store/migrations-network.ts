/** Migrations to what the network needs: events, moves, staged imports, records of other servers, drafts. */
import type { Migration } from './migrate.ts'

export function networkMigrations(): Migration[] {
  return [
    { sql: revisions() },
    { sql: imports() },
    { sql: events() },
    { sql: identities() },
    { sql: moves() },
    { sql: remote() },
    { sql: upstreams() },
    { sql: remoteRecords() },
    { sql: remoteIdentities() },
    { sql: catchUp() },
    { sql: silentRecords() },
    { sql: evictedRecords() },
    { sql: drafts() },
    { sql: eventArchive() },
  ]
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
      phase INTEGER NOT NULL             -- see tables/imports.ts
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

/** See `tables/plc-operations.ts` and `tables/plc-changes.ts`. */
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

/** See `tables/moves.ts`. */
function moves(): string {
  return `
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
    ) STRICT;
  `
}

/** See `tables/remote-actors.ts` and `tables/remote-deletions.ts`. */
function remote(): string {
  return `
    -- Actors of other servers: what is known of their identities.
    CREATE TABLE remote_actors (
      id INTEGER PRIMARY KEY REFERENCES actors (id) ON DELETE CASCADE,
      handle TEXT,                       -- verified; null: none
      shown_handle TEXT UNIQUE,          -- the handle, or another one if an actor of that handle is shown already
      host TEXT,                         -- origin of its personal data server
      signing_key TEXT,                  -- did:key
      rev TEXT,                          -- of the newest commit that was read
      resolved_at INTEGER,               -- milliseconds, as all times here: when its document was last read
      tried_at INTEGER,                  -- the last attempt to
      profile_at INTEGER                 -- when its profile was last read
    ) STRICT;

    -- Deleted records of other servers, so that a slower source does not bring them back.
    CREATE TABLE remote_deletions (
      did TEXT NOT NULL,
      collection TEXT NOT NULL,          -- canonical NSID
      rkey TEXT NOT NULL,
      rev TEXT NOT NULL,                 -- of the commit that deleted it
      deleted_at INTEGER NOT NULL,       -- milliseconds
      PRIMARY KEY (did, collection, rkey)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX remote_deletions_time ON remote_deletions (deleted_at);
  `
}

/** See `tables/upstreams.ts` and `tables/upstream-queue.ts`. */
function upstreams(): string {
  return `
    -- Servers whose event streams are read.
    CREATE TABLE upstreams (
      id INTEGER PRIMARY KEY,
      url TEXT NOT NULL UNIQUE,          -- origin
      is_configured INTEGER NOT NULL,    -- whether a setting names it
      cursor INTEGER,                    -- number of the last event that was read; null: none yet
      last_event_at INTEGER,             -- milliseconds
      added_at INTEGER NOT NULL          -- milliseconds
    ) STRICT;

    -- Events that wait until another server can be reached.
    CREATE TABLE upstream_queue (
      id INTEGER PRIMARY KEY,
      upstream INTEGER NOT NULL REFERENCES upstreams (id) ON DELETE CASCADE,
      did TEXT NOT NULL,
      received_at INTEGER NOT NULL,      -- milliseconds
      frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX upstream_queue_did ON upstream_queue (upstream, did, id);
  `
}

/** See `tables/remote-records.ts` and `tables/remote-statuses.ts`. */
function remoteRecords(): string {
  return `
    ALTER TABLE remote_actors ADD COLUMN status TEXT; -- deactivated, suspended, takendown or deleted; null: active, or not known

    -- Posts and reposts of other servers that feeds and threads show: the first ones to be evicted.
    CREATE TABLE remote_feed_items (
      record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
      sort_at INTEGER NOT NULL           -- milliseconds: when it was created, or was last found to be in use
    ) STRICT;
    CREATE INDEX remote_feed_items_time ON remote_feed_items (sort_at);
    CREATE INDEX bookmarks_post ON bookmarks (did, rkey);

    -- Someone from elsewhere gets an account here: the repository of the account takes the place of what is stored.
    CREATE TRIGGER account_replaces_remote AFTER INSERT ON accounts
      BEGIN
        DELETE FROM notifications WHERE author = NEW.id;
        DELETE FROM records WHERE actor = NEW.id;
        DELETE FROM remote_actors WHERE id = NEW.id;
        DELETE FROM remote_deletions WHERE did = NEW.did;
      END;
  `
}

/** See `tables/remote-actors.ts`. */
function remoteIdentities(): string {
  const isFree = (handle: string) => `
          NOT EXISTS (SELECT 1 FROM accounts WHERE handle = ${handle})
          AND NOT EXISTS (SELECT 1 FROM remote_actors o WHERE o.shown_handle = ${handle})`
  const take = `
        UPDATE remote_actors SET shown_handle = CASE WHEN ${isFree('remote_actors.host_handle')} THEN host_handle END
          WHERE shown_handle = NEW.handle;`
  const release = (handle: string) => `
        UPDATE remote_actors SET shown_handle = ${handle}
          WHERE id = (SELECT min(id) FROM remote_actors WHERE handle = ${handle}) AND ${isFree(handle)};`
  return `
    ALTER TABLE remote_actors ADD COLUMN host_handle TEXT; -- shown if another actor has the handle
    CREATE INDEX remote_actors_handle ON remote_actors (handle);

    -- Verified operations of identities that came from a server instead of a directory.
    CREATE TABLE plc_logs (
      actor INTEGER PRIMARY KEY REFERENCES actors (id) ON DELETE CASCADE,
      log TEXT NOT NULL                  -- JSON, the oldest operation first
    ) STRICT;

    -- A handle is shown for one actor; for an account here rather than for one elsewhere.
    CREATE TRIGGER handle_is_taken AFTER INSERT ON accounts
      BEGIN
        DELETE FROM remote_actors WHERE id = NEW.id;${take}
      END;
    CREATE TRIGGER handle_is_changed AFTER UPDATE OF handle ON accounts WHEN NEW.handle <> OLD.handle
      BEGIN${take}${release('OLD.handle')}
      END;
    CREATE TRIGGER handle_is_released AFTER DELETE ON accounts
      BEGIN${release('OLD.handle')}
      END;
    CREATE TRIGGER remote_handle_is_changed AFTER UPDATE OF shown_handle ON remote_actors
      WHEN OLD.shown_handle IS NOT NEW.shown_handle
      BEGIN${release('OLD.shown_handle')}
      END;
    CREATE TRIGGER remote_handle_is_released AFTER DELETE ON remote_actors
      BEGIN${release('OLD.shown_handle')}
      END;
  `
}

/** See `tables/remote-repositories.ts`, `tables/catch-ups.ts` and `tables/wanted-records.ts`. */
function catchUp(): string {
  return `
    -- Repositories of other servers that were read whole.
    CREATE TABLE remote_repositories (
      did TEXT PRIMARY KEY,
      rev TEXT NOT NULL,                 -- of the commit that was read
      read_at INTEGER NOT NULL           -- milliseconds, as all times here
    ) STRICT, WITHOUT ROWID;

    -- Upstreams whose events were missed, until their repositories are read.
    CREATE TABLE catch_ups (
      upstream TEXT PRIMARY KEY REFERENCES upstreams (url) ON DELETE CASCADE,
      since INTEGER,                     -- when the last event before the gap came; null: none yet
      total INTEGER                      -- repositories to read; null: they are not listed yet
    ) STRICT, WITHOUT ROWID;

    -- Repositories of other servers that are to be read.
    CREATE TABLE repository_queue (
      did TEXT PRIMARY KEY,
      upstream TEXT REFERENCES upstreams (url) ON DELETE CASCADE, -- that reported it
      changed_since INTEGER,             -- read only if it has changed since; null: in any case
      notify_since INTEGER NOT NULL,     -- older records create no notifications
      due_at INTEGER NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0,
      version INTEGER NOT NULL DEFAULT 0 -- grows when a change is reported while it is read
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX repository_queue_due ON repository_queue (due_at);
    CREATE INDEX repository_queue_upstream ON repository_queue (upstream);

    -- Records of other servers that records here refer to, and that are to be fetched.
    CREATE TABLE wanted_records (
      did TEXT NOT NULL,
      collection TEXT NOT NULL,
      rkey TEXT NOT NULL,                -- empty: the latest posts of the actor
      due_at INTEGER NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (did, collection, rkey)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX wanted_records_due ON wanted_records (due_at);

    -- When records of other servers were last compared with their hosts.
    CREATE TABLE record_checks (
      record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
      checked_at INTEGER NOT NULL
    ) STRICT;
  `
}

/** See `tables/silent-records.ts`. */
function silentRecords(): string {
  return `
    -- Records of other servers that have not notified.
    CREATE TABLE silent_records (
      record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE
    ) STRICT;
  `
}

/** See `tables/evicted-records.ts`. */
function evictedRecords(): string {
  return `
    -- Records of other servers that have notified and were evicted, the oldest first.
    CREATE TABLE evicted_records (
      id INTEGER PRIMARY KEY,
      hash INTEGER NOT NULL UNIQUE       -- of author, collection and key
    ) STRICT;
  `
}

/** See `tables/drafts.ts`. */
function drafts(): string {
  return `
    CREATE TABLE drafts (
      position INTEGER PRIMARY KEY,      -- grows with the time of the last change
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      id TEXT NOT NULL,                  -- TID
      draft TEXT NOT NULL,               -- JSON
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      UNIQUE (account, id)
    ) STRICT;
    CREATE INDEX drafts_account ON drafts (account, position);
  `
}

/** See `tables/event-segments.ts` and `tables/event-removals.ts`. */
function eventArchive(): string {
  return `
    -- Files of events that are older than those in the table.
    CREATE TABLE event_segments (
      last_seq INTEGER PRIMARY KEY,
      first_seq INTEGER NOT NULL,
      created_at INTEGER NOT NULL,       -- of its newest event, in milliseconds
      bytes INTEGER NOT NULL,            -- of its frames
      name TEXT NOT NULL                 -- SHA-256 of the file, in hexadecimal
    ) STRICT;
    ALTER TABLE event_state ADD COLUMN archived_bytes INTEGER NOT NULL DEFAULT 0; -- of the frames in files

    -- Deleted accounts whose events may still be in files.
    CREATE TABLE event_removals (
      did TEXT PRIMARY KEY,
      seq INTEGER NOT NULL               -- of the last event before the deletion
    ) STRICT, WITHOUT ROWID;
  `
}
