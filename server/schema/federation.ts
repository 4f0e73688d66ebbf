/** Tables of records and identities of other servers, and triggers that show each handle for one actor. */
export const network = `
  -- Servers whose event streams are read.
  CREATE TABLE upstreams (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,          -- origin
    is_configured INTEGER NOT NULL,    -- whether a setting names it
    cursor INTEGER,                    -- number of the last event that was read; null: none yet
    last_event_at INTEGER,
    added_at INTEGER NOT NULL
  ) STRICT;

  -- Events that wait until another server can be reached.
  CREATE TABLE upstream_queue (
    id INTEGER PRIMARY KEY,
    upstream INTEGER NOT NULL REFERENCES upstreams (id) ON DELETE CASCADE,
    did TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    frame BLOB NOT NULL
  ) STRICT;
  CREATE INDEX upstream_queue_did ON upstream_queue (upstream, did, id);

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

  -- Repositories of other servers that were read whole.
  CREATE TABLE remote_repositories (
    did TEXT PRIMARY KEY,
    rev TEXT NOT NULL,                 -- of the commit that was read
    read_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Identities of actors on other servers.
  CREATE TABLE remote_actors (
    id INTEGER PRIMARY KEY REFERENCES actors (id) ON DELETE CASCADE,
    handle TEXT,                       -- verified; null: none
    shown_handle TEXT UNIQUE,          -- the handle, or another one if an actor of that handle is shown already
    host TEXT,                         -- origin of its personal data server
    signing_key TEXT,                  -- did:key
    rev TEXT,                          -- of the newest commit that was read
    resolved_at INTEGER,               -- when its document was last read
    tried_at INTEGER,                  -- the last attempt to
    profile_at INTEGER,                -- when its profile was last read
    status TEXT,                       -- deactivated, suspended, takendown or deleted; null: active, or not known
    host_handle TEXT                   -- shown if another actor has the handle
  ) STRICT;
  CREATE INDEX remote_actors_handle ON remote_actors (handle);

  -- Verified operations of identities that came from a server instead of a directory.
  CREATE TABLE plc_logs (
    actor INTEGER PRIMARY KEY REFERENCES actors (id) ON DELETE CASCADE,
    log TEXT NOT NULL                  -- JSON, the oldest operation first
  ) STRICT;

  -- Posts and reposts of other servers that feeds and threads show: the first ones to be evicted.
  CREATE TABLE remote_feed_items (
    record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    sort_at INTEGER NOT NULL           -- when it was created, or was last found to be in use
  ) STRICT;
  CREATE INDEX remote_feed_items_time ON remote_feed_items (sort_at);

  -- Records of other servers that have not notified.
  CREATE TABLE silent_records (
    record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE
  ) STRICT;

  -- Records of other servers that have notified and were evicted, the oldest first.
  CREATE TABLE evicted_records (
    id INTEGER PRIMARY KEY,
    hash INTEGER NOT NULL UNIQUE       -- of author, collection and key
  ) STRICT;

  -- Deleted records of other servers, so that a slower source does not bring them back.
  CREATE TABLE remote_deletions (
    did TEXT NOT NULL,
    collection TEXT NOT NULL,          -- our name of it
    rkey TEXT NOT NULL,
    rev TEXT NOT NULL,                 -- of the commit that deleted it
    deleted_at INTEGER NOT NULL,
    PRIMARY KEY (did, collection, rkey)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX remote_deletions_time ON remote_deletions (deleted_at);

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

/** Triggers that replace a remote actor by its account, and show each handle for one actor: an account rather than a remote one. */
export const handles = `
  CREATE TRIGGER account_replaces_remote AFTER INSERT ON accounts
    BEGIN
      DELETE FROM notifications WHERE author = NEW.id;
      DELETE FROM records WHERE actor = NEW.id;
      DELETE FROM remote_actors WHERE id = NEW.id;
      DELETE FROM remote_deletions WHERE did = NEW.did;
    END;
  CREATE TRIGGER handle_is_taken AFTER INSERT ON accounts
    BEGIN
      DELETE FROM remote_actors WHERE id = NEW.id;${takeHandle()}
    END;
  CREATE TRIGGER handle_is_changed AFTER UPDATE OF handle ON accounts WHEN NEW.handle <> OLD.handle
    BEGIN${takeHandle()}${releaseHandle('OLD.handle')}
    END;
  CREATE TRIGGER handle_is_released AFTER DELETE ON accounts
    BEGIN${releaseHandle('OLD.handle')}
    END;
  CREATE TRIGGER remote_handle_is_changed AFTER UPDATE OF shown_handle ON remote_actors
    WHEN OLD.shown_handle IS NOT NEW.shown_handle
    BEGIN${releaseHandle('OLD.shown_handle')}
    END;
  CREATE TRIGGER remote_handle_is_released AFTER DELETE ON remote_actors
    BEGIN${releaseHandle('OLD.shown_handle')}
    END;
`

function isFree(handle: string): string {
  return `
        NOT EXISTS (SELECT 1 FROM accounts WHERE handle = ${handle})
        AND NOT EXISTS (SELECT 1 FROM remote_actors o WHERE o.shown_handle = ${handle})`
}

/** Takes the handle of an account from the remote actor that is shown under it. */
function takeHandle(): string {
  return `
      UPDATE remote_actors SET shown_handle = CASE WHEN ${isFree('remote_actors.host_handle')} THEN host_handle END
        WHERE shown_handle = NEW.handle;`
}

/** Shows a handle that is no longer in use for the first remote actor that has it. */
function releaseHandle(handle: string): string {
  return `
      UPDATE remote_actors SET shown_handle = ${handle}
        WHERE id = (SELECT min(id) FROM remote_actors WHERE handle = ${handle}) AND ${isFree(handle)};`
}
