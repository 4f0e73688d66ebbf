/** Tables of what clients read: views and notifications. */
export const views = `
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

export const notifications = `
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
    called TEXT NOT NULL,              -- the name of registerPush that the client called, whose vocabulary payloads have
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
