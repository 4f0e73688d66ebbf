/**
 * The schema of the database: all tables, indexes and triggers, and the upgrades from earlier versions.
 *
 * Times are ISO 8601 text in UTC with milliseconds, which sorts by time, or milliseconds since 1970 in integer columns;
 * booleans are 0 and 1. Columns that an upgrade adds come last in their table, as in an upgraded database.
 */
import { actorPaths, countedByRecord, paths } from '../repository/format/link-paths.ts'
import type { Schema } from '../store/database/migrate.ts'
import { upgrades } from './upgrades.ts'

const server = `
  -- Secrets of the server, such as the keys of its tokens.
  CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
  ) STRICT;

  -- The newest time that was trusted, and the furthest one that rows may have.
  CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    trusted_at INTEGER,                -- null: not known yet
    furthest_at INTEGER NOT NULL
  ) STRICT;
  INSERT INTO clock (id, furthest_at) VALUES (1, 0);
`

const accounts = `
  -- Everyone that a record or an account refers to.
  CREATE TABLE actors (
    id INTEGER PRIMARY KEY,
    did TEXT NOT NULL UNIQUE,
    inactive INTEGER NOT NULL DEFAULT 0 -- 1: deactivated, suspended, taken down or deleted
  ) STRICT;

  -- Actors that live here.
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY REFERENCES actors (id),
    did TEXT NOT NULL UNIQUE,
    handle TEXT NOT NULL UNIQUE,
    email TEXT UNIQUE,                 -- lower case
    email_confirmed_at TEXT,
    email_auth_factor INTEGER NOT NULL DEFAULT 0,
    password_hash TEXT,                -- null: signs in only after a password reset
    is_owner INTEGER NOT NULL DEFAULT 0,
    is_minted INTEGER NOT NULL,        -- whether its DID was made here
    created_at TEXT NOT NULL,
    deactivated_at TEXT,
    delete_after TEXT,                 -- maintenance deletes the account from then on
    taken_down_at TEXT,
    takedown_ref TEXT,
    suspended_at TEXT,
    suspension_ref TEXT,
    invite_code TEXT,                  -- the one it was created with
    signing_key BLOB NOT NULL,         -- private key, P-256
    signing_key_did TEXT NOT NULL,     -- its public half as did:key
    plc_operation TEXT,                -- JSON: the minted genesis, or an importer's signed operation
    plc_submitted_at TEXT,
    plc_handle TEXT,                   -- the handle and the server address as last published; null: not published
    plc_endpoint TEXT,
    invites_disabled INTEGER NOT NULL DEFAULT 0, -- whether it earns no invite codes
    invite_note TEXT,
    activate_by TEXT,                  -- an imported account: deleted from then on unless it is activated; null: never
    kept TEXT,                         -- why it was not deleted then: named, unreadable
    stream_state INTEGER NOT NULL DEFAULT 1 -- see tables/stream-state.ts
  ) STRICT;
  CREATE INDEX accounts_delete_after ON accounts (delete_after) WHERE delete_after IS NOT NULL;
  CREATE INDEX accounts_created ON accounts (created_at, did);
  CREATE INDEX accounts_activate_by ON accounts (activate_by) WHERE activate_by IS NOT NULL;

  -- Signing keys for accounts that are to be imported.
  CREATE TABLE reserved_keys (
    did TEXT PRIMARY KEY,
    key_did TEXT NOT NULL,
    private_key BLOB NOT NULL,
    reserved_at TEXT NOT NULL,
    expires_at TEXT NOT NULL DEFAULT '', -- kept at least until then
    is_named INTEGER NOT NULL DEFAULT 0 -- whether a document had the key when it was last read
  ) STRICT;
  CREATE INDEX reserved_keys_expiry ON reserved_keys (expires_at);

  -- Operations that follow the first one of an identity which no directory has yet.
  CREATE TABLE plc_operations (
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    number INTEGER NOT NULL,           -- 1, 2, …
    operation TEXT NOT NULL,           -- JSON
    created_at TEXT NOT NULL,
    PRIMARY KEY (did, number)
  ) STRICT, WITHOUT ROWID;

  -- Operations that were sent to the directory, until it is known whether it has them.
  CREATE TABLE plc_changes (
    did TEXT PRIMARY KEY REFERENCES accounts (did) ON DELETE CASCADE,
    operation TEXT NOT NULL,           -- JSON
    handle TEXT UNIQUE                 -- what the account gets then; reserved until then
  ) STRICT, WITHOUT ROWID;

  -- Codes that let people sign up.
  CREATE TABLE invite_codes (
    code TEXT PRIMARY KEY,
    available INTEGER NOT NULL CHECK (available >= 0),
    disabled INTEGER NOT NULL DEFAULT 0,
    for_account TEXT NOT NULL,         -- a DID, or 'admin'
    created_by TEXT NOT NULL,          -- a DID, or 'admin'
    earned INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX invite_codes_account ON invite_codes (for_account, created_at);
  CREATE INDEX invite_codes_created ON invite_codes (created_at, code);

  -- Accounts that signed up with a code.
  CREATE TABLE invite_code_uses (
    code TEXT NOT NULL REFERENCES invite_codes (code) ON DELETE CASCADE,
    used_by TEXT NOT NULL,
    used_at TEXT NOT NULL,
    PRIMARY KEY (code, used_by)
  ) STRICT;
`

const signIn = `
  -- Passwords for one client each.
  CREATE TABLE app_passwords (
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    name TEXT NOT NULL,
    password_hash BLOB NOT NULL UNIQUE, -- HMAC, so that sign-in finds it by one look-up
    privileged INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    permissions TEXT,                  -- what its sessions may do, as OAuth scopes; null: everything of their scope
    PRIMARY KEY (did, name)
  ) STRICT;

  -- Signed-in clients.
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    scope TEXT NOT NULL,
    app_password_name TEXT,
    client TEXT,
    created_at TEXT NOT NULL,
    last_used_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,          -- of the newest refresh token
    old_token_used_at TEXT,            -- when a refresh token was last used after its grace period
    permissions TEXT,                  -- what it may do, as OAuth scopes; null: everything of its scope
    dpop_key TEXT,                     -- thumbprint of the key that proves its requests; null: a bearer token
    FOREIGN KEY (did, app_password_name) REFERENCES app_passwords (did, name) ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX sessions_account ON sessions (did, app_password_name);
  CREATE INDEX sessions_expiry ON sessions (expires_at);

  -- The current refresh token of each session, and those it replaced that still work for a while.
  CREATE TABLE refresh_tokens (
    jti TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    successor TEXT,                    -- jti; null: the current one
    grace_until TEXT,
    replaced_at TEXT                   -- of a token of an app
  ) STRICT;
  CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);

  -- How many changes of records each access to an account made.
  CREATE TABLE session_writes (
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    access TEXT NOT NULL,               -- a session, or an app password
    day TEXT NOT NULL,                  -- YYYY-MM-DD
    count INTEGER NOT NULL,
    PRIMARY KEY (did, access, day)
  ) STRICT, WITHOUT ROWID;

  -- Authenticator apps and passkeys, which sign-in with the main password asks for.
  CREATE TABLE second_factors (
    id TEXT PRIMARY KEY,
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    kind TEXT NOT NULL,                -- totp, passkey
    name TEXT NOT NULL,
    key BLOB NOT NULL,                 -- the shared key, or the public key of a passkey (COSE)
    counter INTEGER NOT NULL,          -- the last used period, or the signature counter of a passkey
    credential_id TEXT UNIQUE,         -- of a passkey
    host TEXT,                         -- of a passkey: the host name of its pages
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    is_confirmed INTEGER NOT NULL,
    wrong_codes INTEGER NOT NULL DEFAULT 0, -- since the last right one
    wrong_code_at TEXT
  ) STRICT;
  CREATE INDEX second_factors_account ON second_factors (did);

  -- Codes for sign-in without them, each for one use.
  CREATE TABLE recovery_codes (
    code_hash BLOB PRIMARY KEY,
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX recovery_codes_account ON recovery_codes (did);

  -- Sessions of apps that signed in by OAuth.
  CREATE TABLE oauth_grants (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    client_key TEXT,                   -- thumbprint of the client's own key; null: a public client
    scope TEXT NOT NULL,               -- as granted; permission sets by name
    code_hash BLOB NOT NULL UNIQUE     -- of the code that the grant was made with
  ) STRICT;
  CREATE INDEX oauth_grants_client ON oauth_grants (client_id);

  -- The last valid documents of clients with a grant, for the time in which they cannot be fetched.
  CREATE TABLE oauth_clients (
    id TEXT PRIMARY KEY,               -- URL of the document
    document TEXT NOT NULL,            -- JSON: metadata and keys
    read_at TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER oauth_client_orphans AFTER DELETE ON oauth_grants
    BEGIN
      DELETE FROM oauth_clients WHERE id = OLD.client_id
        AND NOT EXISTS (SELECT 1 FROM oauth_grants WHERE client_id = OLD.client_id);
    END;

  -- Pushed authorization requests (RFC 9126) that are not decided, and codes that are not exchanged.
  CREATE TABLE oauth_requests (
    id TEXT PRIMARY KEY,               -- the end of its request_uri
    source BLOB NOT NULL,              -- hash of the source that pushed it
    network BLOB NOT NULL,             -- hash of the network that contains the source
    client_id TEXT NOT NULL,
    client_key TEXT,                   -- as in oauth_grants
    dpop_key TEXT NOT NULL,
    login_hint TEXT,                   -- normalized identifier of the account that it is for; null: none was named
    parameters TEXT NOT NULL,          -- JSON
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    approval_id TEXT UNIQUE,           -- its name in the app window, once it waits for an approval there
    waiting_at TEXT,                   -- since when
    number INTEGER,                    -- two digits that the browser shows then
    did TEXT REFERENCES accounts (did) ON DELETE CASCADE, -- the account that decided it
    denied_at TEXT,
    code_hash BLOB UNIQUE,             -- of the code that its client gets
    waits_here INTEGER NOT NULL DEFAULT 0 -- whether a browser of this computer shows the number
  ) STRICT;
  CREATE INDEX oauth_requests_expiry ON oauth_requests (expires_at);
  CREATE INDEX oauth_requests_account ON oauth_requests (did);
  CREATE INDEX oauth_requests_source ON oauth_requests (source);
  CREATE UNIQUE INDEX oauth_requests_challenge ON oauth_requests (parameters ->> '$.codeChallenge');

  -- Ids of client assertions (RFC 7523) that were used, until they expire.
  CREATE TABLE oauth_assertions (
    hash BLOB PRIMARY KEY,
    expires_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX oauth_assertions_expiry ON oauth_assertions (expires_at);

  -- Codes that were sent by email.
  CREATE TABLE mail_tokens (
    token_hash BLOB PRIMARY KEY,
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    purpose TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    wrong_attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX mail_tokens_account ON mail_tokens (did, purpose);

  -- Reports of accounts to the owner of the server.
  CREATE TABLE reports (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    reason_type TEXT NOT NULL,
    reason TEXT,
    did TEXT NOT NULL,                 -- of the reported account, or author of the record
    uri TEXT,                          -- of the record; null: the account is reported
    cid TEXT,
    created_at TEXT NOT NULL,
    closed_at TEXT,                    -- null: open
    resolution TEXT
  ) STRICT;
  CREATE INDEX reports_account ON reports (account);
  CREATE INDEX reports_closed ON reports (closed_at IS NULL, id);
`

const repositories = `
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

const blobs = `
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

const links = `
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

const views = `
  -- Posts and reposts, which feeds sort by time.
  CREATE TABLE posts (
    record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    actor INTEGER NOT NULL,
    sort_at INTEGER NOT NULL,          -- when it was created, but not after it was written here
    kind INTEGER NOT NULL,             -- 0 post, 1 reply, 2 repost
    media INTEGER NOT NULL             -- bits: 1 images or video, 2 video
  ) STRICT;
  CREATE INDEX posts_author ON posts (actor, sort_at, record);
  CREATE INDEX posts_media ON posts (actor, sort_at, record) WHERE media <> 0;

  -- Words of display names, in lower case without accents.
  CREATE TABLE name_words (
    word TEXT NOT NULL,
    record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE, -- the profile
    PRIMARY KEY (word, record)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX name_words_record ON name_words (record);

  -- Posts that accounts saved, by author and key.
  CREATE TABLE bookmarks (
    id INTEGER PRIMARY KEY,            -- grows with the time of the bookmark
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    did TEXT NOT NULL,
    collection TEXT NOT NULL,
    rkey TEXT NOT NULL,
    cid TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (account, did, rkey)
  ) STRICT;
  CREATE INDEX bookmarks_post ON bookmarks (did, rkey);

  -- Unfinished posts of accounts.
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

  -- Preferences that clients store.
  CREATE TABLE actor_preferences (
    did TEXT PRIMARY KEY REFERENCES accounts (did) ON DELETE CASCADE,
    preferences TEXT NOT NULL          -- JSON array, as the client sent it
  ) STRICT, WITHOUT ROWID;

  -- Actors that an account mutes.
  CREATE TABLE mutes (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    subject INTEGER NOT NULL REFERENCES actors (id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX mutes_subject ON mutes (subject);

  -- Lists whose members an account mutes, by author and key.
  CREATE TABLE muted_lists (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    actor INTEGER NOT NULL REFERENCES actors (id),
    rkey TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, actor, rkey)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX muted_lists_actor ON muted_lists (actor, rkey);

  -- Threads whose notifications are hidden, by author and key of the root post.
  CREATE TABLE muted_threads (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    actor INTEGER NOT NULL REFERENCES actors (id),
    rkey TEXT NOT NULL,
    PRIMARY KEY (account, actor, rkey)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX muted_threads_actor ON muted_threads (actor);
`

const notifications = `
  -- What accounts are notified of.
  CREATE TABLE notifications (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: identifies arrivals
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- recipient
    author INTEGER NOT NULL REFERENCES actors (id),
    hidden INTEGER NOT NULL,           -- bits: 1 author inactive, 2 muted, 4 blocked, 8 thread muted, 16 record taken down
    reason INTEGER NOT NULL,           -- see reasons.ts
    followed INTEGER NOT NULL,         -- whether the account follows the author
    indexed_at INTEGER NOT NULL,       -- no two of an account have the same
    record INTEGER REFERENCES records (id) ON DELETE CASCADE, -- null: in deleted_records
    subject INTEGER                    -- one of the subjects
  ) STRICT;
  CREATE INDEX notifications_kind ON notifications (account, hidden, reason, followed, indexed_at);
  CREATE INDEX notifications_author ON notifications (author, account);
  CREATE INDEX notifications_record ON notifications (record);

  -- Records that were deleted and whose deletion notified.
  CREATE TABLE deleted_records (
    notification INTEGER PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
    collection TEXT NOT NULL,
    rkey TEXT NOT NULL,
    cid BLOB NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;

  -- When the last notification arrived: the next one arrives later.
  CREATE TABLE notification_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last INTEGER NOT NULL
  ) STRICT;
  INSERT INTO notification_clock (id, last) VALUES (1, 0);

  -- The times up to which accounts have read their notifications.
  CREATE TABLE seen_markers (
    account INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    seen_at INTEGER NOT NULL,          -- not after the call that set it
    given_at INTEGER                   -- the later time that the client gave; null: the same
  ) STRICT;

  -- The kinds of notifications that an account has had, and how many of each are not hidden and later than its marker.
  CREATE TABLE notification_kinds (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    reason INTEGER NOT NULL,
    followed INTEGER NOT NULL,
    unread INTEGER NOT NULL,
    PRIMARY KEY (account, reason, followed)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER notification_arrives AFTER INSERT ON notifications
    BEGIN${addUnread()}
    END;
  CREATE TRIGGER notification_goes AFTER DELETE ON notifications
    BEGIN${subtractUnread()}
    END;
  CREATE TRIGGER notification_changes_kind AFTER UPDATE OF followed, hidden ON notifications
    BEGIN${subtractUnread()}${addUnread()}
    END;

  -- What accounts want to be notified of.
  CREATE TABLE notification_preferences (
    did TEXT PRIMARY KEY REFERENCES accounts (did) ON DELETE CASCADE,
    preferences TEXT NOT NULL          -- JSON, all of them
  ) STRICT, WITHOUT ROWID;

  -- Actors whose posts notify an account.
  CREATE TABLE activity_subscriptions (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    subject INTEGER NOT NULL REFERENCES actors (id),
    post INTEGER NOT NULL,
    reply INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (subject, account)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX activity_subscriptions_account ON activity_subscriptions (account, created_at);

  -- Posts with subscribers that are not notified yet.
  CREATE TABLE fan_outs (
    record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    is_reply INTEGER NOT NULL,
    last_recipient INTEGER NOT NULL    -- account: subscribers are notified in the order of their ids
  ) STRICT;

  -- Records that the administrator took down.
  CREATE TABLE taken_down_records (
    record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
    ref TEXT
  ) STRICT;
  CREATE TRIGGER record_is_taken_down AFTER INSERT ON taken_down_records
    BEGIN
      UPDATE notifications SET hidden = hidden | 16 WHERE record = NEW.record;
    END;
  CREATE TRIGGER record_takedown_is_lifted AFTER DELETE ON taken_down_records
    BEGIN
      UPDATE notifications SET hidden = hidden & ~16 WHERE record = OLD.record;
    END;

  -- Devices that get push messages.
  CREATE TABLE push_registrations (
    id INTEGER PRIMARY KEY,
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    service_did TEXT NOT NULL,
    token TEXT NOT NULL,
    platform TEXT NOT NULL,
    app_id TEXT NOT NULL,
    target TEXT NOT NULL,              -- who takes the deliveries: the service's DID, or the origin of a Web Push endpoint
    created_at TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, -- the last one that registered it
    UNIQUE (did, service_did, token, platform, app_id)
  ) STRICT;
  CREATE INDEX push_registrations_session ON push_registrations (session_id);

  -- Notifications on their way to devices.
  CREATE TABLE push_queue (
    registration INTEGER NOT NULL REFERENCES push_registrations (id) ON DELETE CASCADE,
    notification INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    target TEXT NOT NULL,
    tries INTEGER NOT NULL,            -- that failed
    due_at TEXT NOT NULL,
    PRIMARY KEY (registration, notification)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX push_queue_notification ON push_queue (notification);
  CREATE INDEX push_queue_due ON push_queue (target, due_at);
  CREATE TRIGGER push_is_queued AFTER INSERT ON notifications WHEN NEW.hidden = 0
    BEGIN
      INSERT INTO push_queue (registration, notification, target, tries, due_at)
        SELECT r.id, NEW.id, r.target, 0, strftime('%Y-%m-%dT%H:%M:%fZ', NEW.indexed_at / 1000.0, 'unixepoch')
        FROM accounts a JOIN push_registrations r ON r.did = a.did WHERE a.id = NEW.account;
    END;
`

const events = `
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

const moves = `
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

  -- Files that a move could not copy.
  CREATE TABLE missing_media (
    account INTEGER NOT NULL REFERENCES moves (account) ON DELETE CASCADE,
    cid TEXT NOT NULL,
    record TEXT,                       -- URI of a record that refers to it
    reason TEXT NOT NULL,              -- notFound, takenDown, tooLarge, wrongBytes
    is_accepted INTEGER NOT NULL,      -- whether the owner agreed to move without it
    PRIMARY KEY (account, cid)
  ) STRICT, WITHOUT ROWID;
`

const network = `
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

  -- Actors of other servers: what is known of their identities.
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

/** Triggers that carry the state of an account to its actor, and from there to its notifications. */
const states = `
  CREATE TRIGGER account_is_created AFTER INSERT ON accounts
    BEGIN${setInactive()}
    END;
  CREATE TRIGGER account_changes_state AFTER UPDATE OF deactivated_at, taken_down_at, suspended_at ON accounts
    BEGIN${setInactive()}
    END;
  -- Notifications by an account that is being deleted are deleted instead of hidden.
  CREATE TRIGGER actor_changes_state AFTER UPDATE OF inactive ON actors
    WHEN NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.id AND did <> NEW.did)
    BEGIN
      UPDATE notifications SET hidden = (hidden & ~1) | NEW.inactive
        WHERE author = NEW.id AND hidden & 1 <> NEW.inactive;
    END;
  CREATE TRIGGER actor_changes_counts AFTER UPDATE OF inactive ON actors WHEN NEW.inactive <> OLD.inactive
    BEGIN
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT DISTINCT l.subject, 1, 0
          FROM records r CROSS JOIN links l ON l.record = r.id AND l.path = ${paths.follow}
          WHERE r.actor = NEW.id AND r.collection IN (SELECT id FROM collections WHERE name = 'graph.follow')
        ON CONFLICT DO UPDATE SET followers = followers + OLD.inactive - NEW.inactive;
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT DISTINCT actor, 0, 1 FROM links WHERE subject = NEW.id AND path = ${paths.follow}
        ON CONFLICT DO UPDATE SET follows = follows + OLD.inactive - NEW.inactive;
    END;
`

/** Triggers that delete the rows to which nothing refers any more. */
const orphans = `
  CREATE TRIGGER link_orphans AFTER DELETE ON links WHEN OLD.path IN ${actorPaths}
    BEGIN
      -- First, as it depends on the state of the actor.
      UPDATE follow_counts SET followers = followers - 1
        WHERE actor = OLD.subject AND OLD.path = ${paths.follow} AND ${isFirst('OLD')} AND ${isActive('OLD.actor')};
      UPDATE follow_counts SET follows = follows - 1
        WHERE actor = OLD.actor AND OLD.path = ${paths.follow} AND ${isFirst('OLD')} AND ${isActive('OLD.subject')};
      DELETE FROM follow_counts WHERE actor IN (OLD.subject, OLD.actor) AND followers = 0 AND follows = 0;${deleteOrphan('OLD.subject')}
    END;
  CREATE TRIGGER record_is_deleted AFTER DELETE ON records
    BEGIN${subtractSize()}${deleteOrphan('OLD.actor')}
    END;
  CREATE TRIGGER account_is_deleted AFTER DELETE ON accounts
    BEGIN
      UPDATE actors SET inactive = 1 WHERE id = OLD.id;
      DELETE FROM notifications WHERE author = OLD.id;
      DELETE FROM records WHERE actor = OLD.id;${deleteOrphan('OLD.id')}
    END;
  CREATE TRIGGER subjects_orphans AFTER DELETE ON subjects
    BEGIN${deleteOrphan('OLD.actor')}
    END;
  CREATE TRIGGER muted_lists_orphans AFTER DELETE ON muted_lists
    BEGIN${deleteOrphan('OLD.actor')}
    END;
  CREATE TRIGGER muted_threads_orphans AFTER DELETE ON muted_threads
    BEGIN${deleteOrphan('OLD.actor')}
    END;
  CREATE TRIGGER activity_subscriptions_orphans AFTER DELETE ON activity_subscriptions
    BEGIN${deleteOrphan('OLD.subject')}
    END;
  CREATE TRIGGER mutes_orphans AFTER DELETE ON mutes
    BEGIN${deleteOrphan('OLD.subject')}
    END;
  CREATE TRIGGER notifications_orphans AFTER DELETE ON notifications WHEN OLD.record IS NULL
    BEGIN${deleteOrphan('OLD.author')}
    END;
`

/** Triggers that replace a remote actor by its account, and show each handle for one actor: an account rather than a remote one. */
const handles = `
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

/** Subtracts a record from the size of its collection. */
function subtractSize(): string {
  return `
      UPDATE collection_sizes SET records = records - 1, bytes = bytes - length(OLD.bytes)
        WHERE actor = OLD.actor AND collection = OLD.collection;
      DELETE FROM collection_sizes WHERE actor = OLD.actor AND collection = OLD.collection AND records = 0;`
}

/** Whether the counts include a link that is inserted or deleted. */
function isCounted(row: string): string {
  return `(${row}.path IN ${countedByRecord} OR NOT EXISTS (SELECT 1 FROM links
          WHERE subject = ${row}.subject AND path = ${row}.path AND actor = ${row}.actor AND record <> ${row}.record))`
}

/** Whether a link is the only one of its path between its actors. */
function isFirst(row: string): string {
  return `NOT EXISTS (SELECT 1 FROM links
          WHERE subject = ${row}.subject AND path = ${row}.path AND actor = ${row}.actor AND record <> ${row}.record)`
}

function isActive(actor: string): string {
  return `NOT EXISTS (SELECT 1 FROM actors WHERE id = ${actor} AND inactive = 1)`
}

function isUnread(row: string): string {
  return `(${row}.indexed_at > coalesce((SELECT seen_at FROM seen_markers WHERE account = ${row}.account), 0))`
}

/** Adds a notification to its kind. */
function addUnread(): string {
  return `
      INSERT INTO notification_kinds (account, reason, followed, unread)
        SELECT NEW.account, NEW.reason, NEW.followed, ${isUnread('NEW')} WHERE NEW.hidden = 0
        ON CONFLICT DO UPDATE SET unread = unread + excluded.unread;`
}

/** Subtracts a notification from its kind. */
function subtractUnread(): string {
  return `
      UPDATE notification_kinds SET unread = unread - 1
        WHERE OLD.hidden = 0 AND ${isUnread('OLD')}
          AND (account, reason, followed) = (OLD.account, OLD.reason, OLD.followed);`
}

/** Carries the state of an account to its actor. */
function setInactive(): string {
  const isInactive =
    '(NEW.deactivated_at IS NOT NULL OR NEW.taken_down_at IS NOT NULL OR NEW.suspended_at IS NOT NULL)'
  return `
      UPDATE actors SET inactive = ${isInactive} WHERE id = NEW.id AND inactive <> ${isInactive};`
}

/** Deletes an actor to which nothing refers. */
function deleteOrphan(actor: string): string {
  return `
      DELETE FROM actors WHERE id = ${actor}
        AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = ${actor})
        AND NOT EXISTS (SELECT 1 FROM records WHERE actor = ${actor})
        AND NOT EXISTS (SELECT 1 FROM subjects WHERE actor = ${actor})
        AND NOT EXISTS (SELECT 1 FROM links WHERE subject = ${actor} AND path IN ${actorPaths})
        AND NOT EXISTS (SELECT 1 FROM notifications WHERE author = ${actor})
        AND NOT EXISTS (SELECT 1 FROM activity_subscriptions WHERE subject = ${actor})
        AND NOT EXISTS (SELECT 1 FROM mutes WHERE subject = ${actor})
        AND NOT EXISTS (SELECT 1 FROM muted_lists WHERE actor = ${actor})
        AND NOT EXISTS (SELECT 1 FROM muted_threads WHERE actor = ${actor});`
}

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

export const schema: Schema = {
  sql: [
    server,
    accounts,
    signIn,
    repositories,
    blobs,
    links,
    views,
    notifications,
    events,
    moves,
    network,
    states,
    orphans,
    handles,
  ].join(''),
  upgrades,
}
