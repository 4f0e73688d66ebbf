/**
 * The schema, as ordered migrations: position + 1 is the `user_version` that a migration leads to. Append only.
 * Times are ISO 8601 text in UTC with milliseconds, which sorts by time, or milliseconds since 1970 in tables of many rows;
 * booleans are 0 and 1.
 */
import type { Migration } from './migrate.ts'
import { actorMigrations, type DeriveLinks } from './migrations-actors.ts'
import { clock, oldTokens } from './migrations-clock.ts'
import { identityMigrations, severalMailTokens } from './migrations-identity.ts'
import { moveMigrations, omittedRecords } from './migrations-moves.ts'
import { networkMigrations } from './migrations-network.ts'
import { type DeriveWords, viewMigrations } from './migrations-views.ts'

/** Returns all migrations. @param derive derives links, and `wordsOf` words, from records of earlier versions */
export function createMigrations(derive: DeriveLinks, wordsOf: DeriveWords): readonly Migration[] {
  return [
    { sql: accountsAndSessions() },
    { sql: repositories() },
    { sql: notifications() },
    { sql: pushQueue() },
    { sql: publishedIdentities() },
    { sql: 'ALTER TABLE fan_outs RENAME COLUMN told_up_to TO last_recipient' },
    { sql: actorPreferencesAndInvites() },
    ...actorMigrations(derive),
    ...viewMigrations(wordsOf),
    { sql: blobs() },
    // For feeds of posts with media.
    { sql: 'CREATE INDEX posts_media ON posts (actor, sort_at, record) WHERE media <> 0' },
    ...networkMigrations(),
    ...moveMigrations(),
    ...identityMigrations(),
    { sql: damagedBlobs() },
    { sql: clock() },
    { sql: oldTokens() },
    { sql: omittedRecords() },
    { sql: severalMailTokens() },
  ]
}

function accountsAndSessions(): string {
  return `
    CREATE TABLE secrets (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT;

    CREATE TABLE accounts (
      id INTEGER PRIMARY KEY,            -- short, for tables of many rows
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
      delete_after TEXT,                 -- the sweeper deletes the account from then on
      taken_down_at TEXT,
      takedown_ref TEXT,
      suspended_at TEXT,
      suspension_ref TEXT,
      invite_code TEXT,                  -- the one it was created with
      signing_key BLOB NOT NULL,         -- private key, P-256
      signing_key_did TEXT NOT NULL,     -- its public half as did:key
      plc_operation TEXT,                -- JSON: the minted genesis, or an importer's signed operation
      plc_submitted_at TEXT
    ) STRICT;
    CREATE INDEX accounts_delete_after ON accounts (delete_after) WHERE delete_after IS NOT NULL;
    CREATE INDEX accounts_created ON accounts (created_at, did);

    CREATE TABLE reserved_keys (
      did TEXT PRIMARY KEY,
      key_did TEXT NOT NULL,
      private_key BLOB NOT NULL,
      reserved_at TEXT NOT NULL
    ) STRICT;

    CREATE TABLE app_passwords (
      did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
      name TEXT NOT NULL,
      password_hash BLOB NOT NULL UNIQUE, -- HMAC, so that sign-in finds it by one look-up
      privileged INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      last_used_at TEXT,
      PRIMARY KEY (did, name)
    ) STRICT;

    CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
      scope TEXT NOT NULL,
      app_password_name TEXT,
      client TEXT,
      created_at TEXT NOT NULL,
      last_used_at TEXT NOT NULL,
      expires_at TEXT NOT NULL,          -- of the newest refresh token
      FOREIGN KEY (did, app_password_name) REFERENCES app_passwords (did, name) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX sessions_account ON sessions (did, app_password_name);
    CREATE INDEX sessions_expiry ON sessions (expires_at);

    -- The current refresh token of each session, and those it replaced that still work for a while.
    CREATE TABLE refresh_tokens (
      jti TEXT PRIMARY KEY,
      session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      successor TEXT,                    -- jti; null: the current one
      grace_until TEXT
    ) STRICT;
    CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);

    CREATE TABLE mail_tokens (
      did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
      purpose TEXT NOT NULL,
      token_hash BLOB NOT NULL UNIQUE,
      expires_at TEXT NOT NULL,
      wrong_attempts INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (did, purpose)
    ) STRICT;

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

    CREATE TABLE invite_code_uses (
      code TEXT NOT NULL REFERENCES invite_codes (code) ON DELETE CASCADE,
      used_by TEXT NOT NULL,
      used_at TEXT NOT NULL,
      PRIMARY KEY (code, used_by)
    ) STRICT;
  `
}

function repositories(): string {
  return `
    CREATE TABLE repos (
      did TEXT PRIMARY KEY REFERENCES accounts (did) ON DELETE CASCADE,
      commit_cid TEXT NOT NULL,
      rev TEXT NOT NULL,
      tree_cid TEXT NOT NULL             -- root of the Merkle search tree
    ) STRICT;

    -- The latest commit and the nodes of its tree. The records are blocks too, but have their own table.
    CREATE TABLE repo_blocks (
      did TEXT NOT NULL REFERENCES repos (did) ON DELETE CASCADE,
      cid TEXT NOT NULL,
      bytes BLOB NOT NULL,
      PRIMARY KEY (did, cid)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE records (
      did TEXT NOT NULL REFERENCES repos (did) ON DELETE CASCADE,
      collection TEXT NOT NULL,          -- as it was written, be it an alias
      rkey TEXT NOT NULL,
      cid TEXT NOT NULL,
      bytes BLOB NOT NULL,               -- DAG-CBOR
      indexed_at TEXT NOT NULL,
      PRIMARY KEY (did, collection, rkey)
    ) STRICT, WITHOUT ROWID;

    -- Blobs that records refer to.
    CREATE TABLE record_blobs (
      did TEXT NOT NULL,
      collection TEXT NOT NULL,
      rkey TEXT NOT NULL,
      blob_cid TEXT NOT NULL,
      PRIMARY KEY (did, collection, rkey, blob_cid),
      FOREIGN KEY (did, collection, rkey) REFERENCES records (did, collection, rkey) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
  `
}

function notifications(): string {
  const isInactive = (account: string) =>
    `(${account}.deactivated_at IS NOT NULL OR ${account}.taken_down_at IS NOT NULL OR ${account}.suspended_at IS NOT NULL)`
  const isUnread = (row: string) =>
    `(${row}.indexed_at > coalesce((SELECT seen_at FROM seen_markers WHERE account = ${row}.account), ''))`
  const countIn = `
        INSERT INTO notification_kinds (account, reason, followed, unread)
          SELECT NEW.account, NEW.reason, NEW.followed, ${isUnread('NEW')} WHERE NEW.hidden = 0
          ON CONFLICT DO UPDATE SET unread = unread + excluded.unread;`
  const countOut = `
        UPDATE notification_kinds SET unread = unread - 1
          WHERE OLD.hidden = 0 AND ${isUnread('OLD')}
            AND (account, reason, followed) = (OLD.account, OLD.reason, OLD.followed);`
  return `
    CREATE TABLE notifications (
      id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: identifies arrivals
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- recipient
      author INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      hidden INTEGER NOT NULL,           -- whether the author is not active
      reason TEXT NOT NULL,
      followed INTEGER NOT NULL,         -- whether the account follows the author
      indexed_at TEXT NOT NULL,          -- no two of an account have the same
      collection TEXT NOT NULL,          -- of the author's record, as it was written
      rkey TEXT NOT NULL,
      reason_subject TEXT,
      cid TEXT,                          -- null, as bytes: it is in records
      bytes BLOB
    ) STRICT;
    CREATE INDEX notifications_kind ON notifications (account, hidden, reason, followed, indexed_at);
    CREATE INDEX notifications_author ON notifications (author, account);
    CREATE INDEX notifications_record ON notifications (author, rkey, account);

    -- When the last notification arrived: the next one arrives later.
    CREATE TABLE notification_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      last TEXT NOT NULL
    ) STRICT;
    INSERT INTO notification_clock (id, last) VALUES (1, '');

    CREATE TABLE seen_markers (
      account INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
      seen_at TEXT NOT NULL
    ) STRICT;

    -- The kinds of notifications that an account has had, and how many of each are not hidden and later than its marker.
    CREATE TABLE notification_kinds (
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      reason TEXT NOT NULL,
      followed INTEGER NOT NULL,
      unread INTEGER NOT NULL,
      PRIMARY KEY (account, reason, followed)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER notification_arrives AFTER INSERT ON notifications
      BEGIN${countIn}
      END;
    CREATE TRIGGER notification_goes AFTER DELETE ON notifications
      BEGIN${countOut}
      END;
    CREATE TRIGGER notification_changes_kind AFTER UPDATE OF followed, hidden ON notifications
      BEGIN${countOut}${countIn}
      END;
    CREATE TRIGGER author_changes_state AFTER UPDATE OF deactivated_at, taken_down_at, suspended_at ON accounts
      BEGIN
        UPDATE notifications SET hidden = ${isInactive('NEW')} WHERE author = NEW.id AND hidden <> ${isInactive('NEW')};
      END;

    -- Follow records of accounts, by whom they follow: also accounts of other servers.
    CREATE TABLE follows (
      did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
      collection TEXT NOT NULL,          -- as it was written, be it an alias
      rkey TEXT NOT NULL,
      subject TEXT NOT NULL,
      PRIMARY KEY (did, collection, rkey)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX follows_subject ON follows (subject, did);

    CREATE TABLE activity_subscriptions (
      did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
      subject TEXT NOT NULL,             -- also of other servers
      post INTEGER NOT NULL,
      reply INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      PRIMARY KEY (subject, did)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX activity_subscriptions_account ON activity_subscriptions (did, created_at, subject);

    -- Posts with subscribers that are not notified yet.
    CREATE TABLE fan_outs (
      did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
      collection TEXT NOT NULL,
      rkey TEXT NOT NULL,
      is_reply INTEGER NOT NULL,
      told_up_to TEXT NOT NULL,          -- DID: subscribers are notified in the order of their DIDs
      PRIMARY KEY (did, collection, rkey)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE notification_preferences (
      did TEXT PRIMARY KEY REFERENCES accounts (did) ON DELETE CASCADE,
      preferences TEXT NOT NULL          -- JSON, all of them
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE push_registrations (
      did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
      service_did TEXT NOT NULL,
      token TEXT NOT NULL,
      platform TEXT NOT NULL,
      app_id TEXT NOT NULL,
      created_at TEXT NOT NULL,
      PRIMARY KEY (did, service_did, token, platform, app_id)
    ) STRICT, WITHOUT ROWID;
  `
}

function pushQueue(): string {
  return `
    CREATE TABLE push_registrations_with_id (
      id INTEGER PRIMARY KEY,
      did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
      service_did TEXT NOT NULL,
      token TEXT NOT NULL,
      platform TEXT NOT NULL,
      app_id TEXT NOT NULL,
      target TEXT NOT NULL,              -- who takes the deliveries: the service's DID, or the origin of a Web Push endpoint
      created_at TEXT NOT NULL,
      UNIQUE (did, service_did, token, platform, app_id)
    ) STRICT;
    INSERT INTO push_registrations_with_id (did, service_did, token, platform, app_id, target, created_at)
      SELECT did, service_did, token, platform, app_id, service_did, created_at FROM push_registrations;
    DROP TABLE push_registrations;
    ALTER TABLE push_registrations_with_id RENAME TO push_registrations;

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
          SELECT r.id, NEW.id, r.target, 0, NEW.indexed_at
          FROM accounts a JOIN push_registrations r ON r.did = a.did WHERE a.id = NEW.account;
      END;
  `
}

function publishedIdentities(): string {
  return `
    -- The handle and the server address that the did:plc directory was last brought in line with; null: not published.
    ALTER TABLE accounts ADD COLUMN plc_handle TEXT;
    ALTER TABLE accounts ADD COLUMN plc_endpoint TEXT;
    UPDATE accounts SET plc_handle = handle, plc_endpoint = json_extract(plc_operation, '$.services.atproto_pds.endpoint')
      WHERE plc_submitted_at IS NOT NULL;
  `
}

function actorPreferencesAndInvites(): string {
  return `
    CREATE TABLE actor_preferences (
      did TEXT PRIMARY KEY REFERENCES accounts (did) ON DELETE CASCADE,
      preferences TEXT NOT NULL          -- JSON array, as the client sent it
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE accounts ADD COLUMN invites_disabled INTEGER NOT NULL DEFAULT 0; -- whether it earns no invite codes
    ALTER TABLE accounts ADD COLUMN invite_note TEXT;
    CREATE INDEX invite_codes_created ON invite_codes (created_at, code);
  `
}

function blobs(): string {
  return `
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
  `
}

/** See `tables/damaged-blobs.ts`. */
function damagedBlobs(): string {
  return `
    -- Blobs whose file was found missing or damaged, without a good copy.
    CREATE TABLE damaged_blobs (
      cid BLOB PRIMARY KEY,
      found_at INTEGER NOT NULL          -- milliseconds since 1970
    ) STRICT, WITHOUT ROWID;

    CREATE TRIGGER damaged_blob_is_deleted AFTER DELETE ON blobs
      WHEN NOT EXISTS (SELECT 1 FROM blobs WHERE cid = OLD.cid)
      BEGIN
        DELETE FROM damaged_blobs WHERE cid = OLD.cid;
      END;
  `
}
