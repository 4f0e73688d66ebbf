/** Tables of repositories, their media, links and events, and of moves. */
import { actorPaths, countedByRecord, paths } from '../repository/format/link-paths.ts'
import { isActive, isFirst, subtractSize } from './triggers.ts'

export const repositories = `
  -- Names under which collections are stored.
  CREATE TABLE collections (
    id INTEGER PRIMARY KEY,
    nsid TEXT NOT NULL UNIQUE,
    name TEXT AS (${afterDot(afterDot('nsid'))}) VIRTUAL -- without the authority
  ) STRICT;
  CREATE INDEX collections_name ON collections (name);

  -- The latest commit of each account.
  CREATE TABLE repos (
    actor INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    commit_cid BLOB NOT NULL,
    rev TEXT NOT NULL,
    tree_cid BLOB NOT NULL             -- root of the Merkle search tree
  ) STRICT;

  -- The latest commit and the nodes of its tree. The records are blocks too, but have their own table.
  CREATE TABLE repo_blocks (
    actor INTEGER NOT NULL REFERENCES repos (actor) ON DELETE CASCADE,
    cid BLOB NOT NULL,
    bytes BLOB NOT NULL,
    rev TEXT,                          -- of the commit that wrote it; null: not known
    PRIMARY KEY (actor, cid)
  ) STRICT, WITHOUT ROWID;

  -- Records of accounts, and those of other servers that are kept.
  CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    actor INTEGER NOT NULL REFERENCES actors (id),
    collection INTEGER NOT NULL REFERENCES collections (id),
    rkey TEXT NOT NULL,
    cid BLOB NOT NULL,
    bytes BLOB NOT NULL,               -- DAG-CBOR
    indexed_at INTEGER NOT NULL,
    rev TEXT                           -- of the commit that wrote it; null: not known
  ) STRICT;
  CREATE UNIQUE INDEX records_key ON records (actor, collection, rkey);

  -- Records of the tree that the index cannot have, because responses cannot contain them.
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

  -- Number and bytes of the records in each collection of a repository.
  CREATE TABLE collection_sizes (
    actor INTEGER NOT NULL,
    collection INTEGER NOT NULL,
    records INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (actor, collection)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER record_is_inserted AFTER INSERT ON records
    BEGIN${addSize()}
    END;
  CREATE TRIGGER record_is_updated AFTER UPDATE OF collection, bytes ON records
    BEGIN${subtractSize()}${addSize()}
    END;

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

export const blobs = `
  -- Files that accounts uploaded.
  CREATE TABLE blobs (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    cid BLOB NOT NULL,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,             -- bytes
    rev TEXT,                          -- the newest commit with a reference to it; null: none yet
    expires_at INTEGER,                -- kept until then without a reference; null: a record has referred to the last upload
    PRIMARY KEY (account, cid)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blobs_cid ON blobs (cid);
  CREATE INDEX blobs_expire ON blobs (expires_at) WHERE expires_at IS NOT NULL;

  -- Blobs that records refer to.
  CREATE TABLE record_blobs (
    record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    cid BLOB NOT NULL,
    PRIMARY KEY (record, cid)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX record_blobs_cid ON record_blobs (cid);

  -- Blobs whose file was found missing or damaged, without a good copy.
  CREATE TABLE damaged_blobs (
    cid BLOB PRIMARY KEY,
    found_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER damaged_blob_is_deleted AFTER DELETE ON blobs
    WHEN NOT EXISTS (SELECT 1 FROM blobs WHERE cid = OLD.cid)
    BEGIN
      DELETE FROM damaged_blobs WHERE cid = OLD.cid;
    END;

  -- Blobs that the administrator took down.
  CREATE TABLE taken_down_blobs (
    account INTEGER NOT NULL,
    cid BLOB NOT NULL,
    ref TEXT,
    PRIMARY KEY (account, cid),
    FOREIGN KEY (account, cid) REFERENCES blobs (account, cid) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
`

export const links = `
  -- Records that some record refers to, whether or not they exist here.
  CREATE TABLE subjects (
    id INTEGER PRIMARY KEY,
    actor INTEGER NOT NULL REFERENCES actors (id),
    collection INTEGER NOT NULL REFERENCES collections (id),
    rkey TEXT NOT NULL,
    UNIQUE (actor, rkey, collection)
  ) STRICT;

  -- Which records refer to an actor or a record.
  CREATE TABLE links (
    subject INTEGER NOT NULL,          -- an actor or one of the subjects, as the path says
    path INTEGER NOT NULL,             -- see link-paths.ts
    actor INTEGER NOT NULL,            -- author of the record
    record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    PRIMARY KEY (subject, path, actor, record)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX links_record ON links (record);

  -- Number of links: of distinct actors, for posts of records.
  CREATE TABLE link_counts (
    subject INTEGER NOT NULL,
    path INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (subject, path)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER link_is_inserted AFTER INSERT ON links
    BEGIN
      INSERT INTO link_counts (subject, path, count) SELECT NEW.subject, NEW.path, 1 WHERE ${isCounted('NEW')}
        ON CONFLICT DO UPDATE SET count = count + 1;
    END;
  CREATE TRIGGER link_is_deleted AFTER DELETE ON links
    BEGIN
      UPDATE link_counts SET count = count - 1 WHERE subject = OLD.subject AND path = OLD.path AND ${isCounted('OLD')};
      DELETE FROM link_counts WHERE subject = OLD.subject AND path = OLD.path AND count = 0;
      DELETE FROM subjects WHERE id = OLD.subject AND OLD.path NOT IN ${actorPaths}
        AND NOT EXISTS (SELECT 1 FROM link_counts WHERE subject = OLD.subject AND path NOT IN ${actorPaths});
    END;

  -- Number of active actors that follow an actor, and that it follows, each once.
  CREATE TABLE follow_counts (
    actor INTEGER PRIMARY KEY,
    followers INTEGER NOT NULL,
    follows INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER follow_is_inserted AFTER INSERT ON links WHEN NEW.path = ${paths.follow}
    BEGIN
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT NEW.subject, 1, 0 WHERE ${isFirst('NEW')} AND ${isActive('NEW.actor')}
        ON CONFLICT DO UPDATE SET followers = followers + 1;
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT NEW.actor, 0, 1 WHERE ${isFirst('NEW')} AND ${isActive('NEW.subject')}
        ON CONFLICT DO UPDATE SET follows = follows + 1;
    END;
`

export const events = `
  -- The event stream of the repositories, as it is sent. Rows are added at the end and deleted at the beginning.
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,                -- commit, sync, identity or account
    did TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    frame BLOB NOT NULL
  ) STRICT;

  -- Place and size of the event stream.
  CREATE TABLE event_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_seq INTEGER NOT NULL,         -- of the last event, which may have been deleted
    outdated_seq INTEGER NOT NULL,     -- of the last event that retention deleted; 0: none
    bytes INTEGER NOT NULL             -- of all frames
  ) STRICT;
  INSERT INTO event_state (id, last_seq, outdated_seq, bytes) VALUES (1, 0, 0, 0);

  -- Deleted accounts whose events may still be in the table.
  CREATE TABLE event_removals (
    did TEXT PRIMARY KEY,
    seq INTEGER NOT NULL               -- of the last event before the deletion
  ) STRICT, WITHOUT ROWID;
`

export const moves = `
  -- Accounts that move to this server or to another one.
  CREATE TABLE moves (
    account INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    direction TEXT NOT NULL,           -- in, out
    peer TEXT NOT NULL,                -- origin of the other server
    handle TEXT NOT NULL,              -- at the server that the account moves to
    access_jwt TEXT,                   -- session at the other server, until the move has ended
    refresh_jwt TEXT,
    by_admin INTEGER NOT NULL,
    step TEXT NOT NULL,
    need TEXT,                         -- what the owner must do: code, signIn, document
    error TEXT,
    rev TEXT,                          -- of the repository that was copied
    copies INTEGER NOT NULL DEFAULT 0,
    operation TEXT,                    -- JSON, signed
    credentials TEXT,                  -- JSON: for the document of a did:web
    blobs_expected INTEGER,
    blobs_copied INTEGER NOT NULL DEFAULT 0,
    bytes_copied INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    writes_stopped INTEGER NOT NULL DEFAULT 0, -- whether this server refuses writes of the account
    identity_changed INTEGER NOT NULL DEFAULT 0, -- whether the DID may name the new server
    copied_rev TEXT,                   -- revision that the copy got at the new server
    without_later INTEGER NOT NULL DEFAULT 0 -- consent to leave later records behind
  ) STRICT;

`

/** The text after the first dot. */
function afterDot(text: string): string {
  return `substr(${text}, instr(${text}, '.') + 1)`
}

/** Adds a record to the size of its collection. */
function addSize(): string {
  return `
      INSERT INTO collection_sizes (actor, collection, records, bytes)
        VALUES (NEW.actor, NEW.collection, 1, length(NEW.bytes))
        ON CONFLICT DO UPDATE SET records = records + 1, bytes = bytes + excluded.bytes;`
}

/** Whether the counts include a link that is inserted or deleted. */
function isCounted(row: string): string {
  return `(${row}.path IN ${countedByRecord} OR NOT EXISTS (SELECT 1 FROM links
          WHERE subject = ${row}.subject AND path = ${row}.path AND actor = ${row}.actor AND record <> ${row}.record))`
}
