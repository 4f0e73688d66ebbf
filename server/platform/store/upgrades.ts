/**
 * The upgrades of databases of earlier versions, oldest first: each leads to the next `user_version`. `schema.ts` has the
 * result of all. Append only: a released upgrade never changes. The pages that one of them changes are in memory until its end, so it
 * changes no table of records, blocks or notifications as a whole: it adds columns, and a job fills them.
 */
export const upgrades: readonly string[] = [
  // 34. See tables/moves.ts and tables/missing-media.ts.
  `
  ALTER TABLE moves ADD COLUMN writes_stopped INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE moves ADD COLUMN identity_changed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE moves ADD COLUMN copied_rev TEXT;
  ALTER TABLE moves ADD COLUMN without_later INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE moves DROP COLUMN blobs_missing;
  UPDATE moves SET identity_changed = 1, writes_stopped = direction = 'out'
    WHERE ended_at IS NULL AND (operation IS NOT NULL OR step IN ('activation', 'deactivation'));

  CREATE TABLE missing_media (
    account INTEGER NOT NULL REFERENCES moves (account) ON DELETE CASCADE,
    cid TEXT NOT NULL,
    record TEXT,
    reason TEXT NOT NULL,
    is_accepted INTEGER NOT NULL,
    PRIMARY KEY (account, cid)
  ) STRICT, WITHOUT ROWID;
  `,

  // 35. Until then, delete_after had both dates: imported accounts got one three days after their import. See tables/unactivated.ts.
  `
  ALTER TABLE accounts ADD COLUMN activate_by TEXT;
  ALTER TABLE accounts ADD COLUMN kept TEXT;
  ALTER TABLE accounts ADD COLUMN stream_state INTEGER NOT NULL DEFAULT 1;
  UPDATE accounts SET activate_by = delete_after, delete_after = NULL, stream_state = 0
    WHERE is_minted = 0 AND delete_after = strftime('%Y-%m-%dT%H:%M:%fZ', deactivated_at, '+3 days');
  CREATE INDEX accounts_activate_by ON accounts (activate_by) WHERE activate_by IS NOT NULL;

  ALTER TABLE reserved_keys ADD COLUMN expires_at TEXT NOT NULL DEFAULT '';
  ALTER TABLE reserved_keys ADD COLUMN is_named INTEGER NOT NULL DEFAULT 0;
  UPDATE reserved_keys SET expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', reserved_at, '+7 days');
  CREATE INDEX reserved_keys_expiry ON reserved_keys (expires_at);
  `,

  // 36. See tables/account-deletions.ts.
  `
  DROP TRIGGER actor_changes_state;
  CREATE TRIGGER actor_changes_state AFTER UPDATE OF inactive ON actors
    WHEN NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.id AND did <> NEW.did)
    BEGIN
      UPDATE notifications SET hidden = (hidden & ~1) | NEW.inactive
        WHERE author = NEW.id AND hidden & 1 <> NEW.inactive;
    END;
  `,

  // 37. See tables/damaged-blobs.ts.
  `
  CREATE TABLE damaged_blobs (
    cid BLOB PRIMARY KEY,
    found_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER damaged_blob_is_deleted AFTER DELETE ON blobs
    WHEN NOT EXISTS (SELECT 1 FROM blobs WHERE cid = OLD.cid)
    BEGIN
      DELETE FROM damaged_blobs WHERE cid = OLD.cid;
    END;
  `,

  // 38. Rows of earlier versions may lie in the future. See tables/clock.ts.
  `
  CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    trusted_at INTEGER,
    furthest_at INTEGER NOT NULL
  ) STRICT;
  INSERT INTO clock (id, furthest_at) VALUES (1, ${Date.parse('9999-12-31')});
  `,

  // 39. See tables/sessions.ts.
  'ALTER TABLE sessions ADD COLUMN old_token_used_at TEXT',

  // 40. See tables/omitted-records.ts.
  `
  CREATE TABLE omitted_records (
    actor INTEGER NOT NULL REFERENCES actors (id),
    key TEXT NOT NULL,
    cid BLOB NOT NULL,
    bytes BLOB NOT NULL,
    reason TEXT NOT NULL,
    rev TEXT NOT NULL,
    PRIMARY KEY (actor, key)
  ) STRICT;
  CREATE INDEX omitted_records_cid ON omitted_records (actor, cid);
  `,

  // 41. Until then there was one token per account and purpose. See tables/mail-tokens.ts.
  `
  CREATE TABLE new_mail_tokens (
    token_hash BLOB PRIMARY KEY,
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    purpose TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    wrong_attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO new_mail_tokens SELECT token_hash, did, purpose, expires_at, wrong_attempts FROM mail_tokens;
  DROP TABLE mail_tokens;
  ALTER TABLE new_mail_tokens RENAME TO mail_tokens;
  CREATE INDEX mail_tokens_account ON mail_tokens (did, purpose);
  `,

  // 42. See tables/event-segments.ts.
  'ALTER TABLE event_state DROP COLUMN archived_bytes',

  // 43. See tables/reports.ts.
  `
  CREATE TABLE reports (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    reason_type TEXT NOT NULL,
    reason TEXT,
    did TEXT NOT NULL,
    uri TEXT,
    cid TEXT,
    created_at TEXT NOT NULL,
    closed_at TEXT,
    resolution TEXT
  ) STRICT;
  CREATE INDEX reports_account ON reports (account);
  CREATE INDEX reports_closed ON reports (closed_at IS NULL, id);
  `,

  // 44. See tables/oauth.ts.
  `
  ALTER TABLE app_passwords ADD COLUMN permissions TEXT;
  ALTER TABLE sessions ADD COLUMN permissions TEXT;
  ALTER TABLE sessions ADD COLUMN dpop_key TEXT;
  CREATE TABLE oauth_grants (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    client_key TEXT,
    scope TEXT NOT NULL,
    code_hash BLOB NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE oauth_requests (
    id TEXT PRIMARY KEY,
    client_id TEXT NOT NULL,
    client_key TEXT,
    dpop_key TEXT NOT NULL,
    parameters TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    number INTEGER,
    did TEXT REFERENCES accounts (did) ON DELETE CASCADE,
    denied_at TEXT,
    code_hash BLOB UNIQUE
  ) STRICT;
  CREATE INDEX oauth_requests_expiry ON oauth_requests (expires_at);
  CREATE INDEX oauth_requests_account ON oauth_requests (did);
  CREATE TABLE oauth_assertions (
    hash BLOB PRIMARY KEY,
    expires_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX oauth_assertions_expiry ON oauth_assertions (expires_at);
  `,

  // 45. See tables/second-factors.ts.
  `
  CREATE TABLE second_factors (
    id TEXT PRIMARY KEY,
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    key BLOB NOT NULL,
    counter INTEGER NOT NULL,
    credential_id TEXT UNIQUE,
    host TEXT,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    is_confirmed INTEGER NOT NULL,
    wrong_codes INTEGER NOT NULL DEFAULT 0,
    wrong_code_at TEXT
  ) STRICT;
  CREATE INDEX second_factors_account ON second_factors (did);
  CREATE TABLE recovery_codes (
    code_hash BLOB PRIMARY KEY,
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX recovery_codes_account ON recovery_codes (did);
  `,

  // 46. See tables/session-writes.ts.
  `
  CREATE TABLE session_writes (
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    access TEXT NOT NULL,
    day TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (did, access, day)
  ) STRICT, WITHOUT ROWID;
  `,

  // 47. See tables/takedowns.ts.
  `
  CREATE TABLE taken_down_blobs (
    account INTEGER NOT NULL,
    cid BLOB NOT NULL,
    ref TEXT,
    PRIMARY KEY (account, cid),
    FOREIGN KEY (account, cid) REFERENCES blobs (account, cid) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
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
  `,

  // 48. See followCounts in tables/graph.ts.
  `
  CREATE TABLE follow_counts (
    actor INTEGER PRIMARY KEY,
    followers INTEGER NOT NULL,
    follows INTEGER NOT NULL
  ) STRICT;
  INSERT INTO follow_counts (actor, followers, follows)
    SELECT actor, sum(followers), sum(follows) FROM (
      SELECT l.subject AS actor, count(DISTINCT l.actor) AS followers, 0 AS follows
        FROM link_counts n CROSS JOIN links l ON l.subject = n.subject AND l.path = 9
        CROSS JOIN actors a ON a.id = l.actor AND a.inactive = 0
        WHERE n.path = 9 GROUP BY l.subject
      UNION ALL
      SELECT l.actor, 0, count(DISTINCT l.subject)
        FROM link_counts n CROSS JOIN links l ON l.subject = n.subject AND l.path = 9
        CROSS JOIN actors a ON a.id = l.subject AND a.inactive = 0
        WHERE n.path = 9 GROUP BY l.actor)
    GROUP BY actor;
  CREATE TRIGGER follow_is_inserted AFTER INSERT ON links WHEN NEW.path = 9
    BEGIN
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT NEW.subject, 1, 0 WHERE NOT EXISTS (SELECT 1 FROM links
          WHERE subject = NEW.subject AND path = NEW.path AND actor = NEW.actor AND record <> NEW.record)
          AND NOT EXISTS (SELECT 1 FROM actors WHERE id = NEW.actor AND inactive = 1)
        ON CONFLICT DO UPDATE SET followers = followers + 1;
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT NEW.actor, 0, 1 WHERE NOT EXISTS (SELECT 1 FROM links
          WHERE subject = NEW.subject AND path = NEW.path AND actor = NEW.actor AND record <> NEW.record)
          AND NOT EXISTS (SELECT 1 FROM actors WHERE id = NEW.subject AND inactive = 1)
        ON CONFLICT DO UPDATE SET follows = follows + 1;
    END;
  DROP TRIGGER link_orphans;
  CREATE TRIGGER link_orphans AFTER DELETE ON links WHEN OLD.path IN (8, 9, 10, 11, 14)
    BEGIN
      UPDATE follow_counts SET followers = followers - 1
        WHERE actor = OLD.subject AND OLD.path = 9 AND NOT EXISTS (SELECT 1 FROM links
          WHERE subject = OLD.subject AND path = OLD.path AND actor = OLD.actor AND record <> OLD.record)
          AND NOT EXISTS (SELECT 1 FROM actors WHERE id = OLD.actor AND inactive = 1);
      UPDATE follow_counts SET follows = follows - 1
        WHERE actor = OLD.actor AND OLD.path = 9 AND NOT EXISTS (SELECT 1 FROM links
          WHERE subject = OLD.subject AND path = OLD.path AND actor = OLD.actor AND record <> OLD.record)
          AND NOT EXISTS (SELECT 1 FROM actors WHERE id = OLD.subject AND inactive = 1);
      DELETE FROM follow_counts WHERE actor IN (OLD.subject, OLD.actor) AND followers = 0 AND follows = 0;
      DELETE FROM actors WHERE id = OLD.subject
        AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = OLD.subject)
        AND NOT EXISTS (SELECT 1 FROM records WHERE actor = OLD.subject)
        AND NOT EXISTS (SELECT 1 FROM subjects WHERE actor = OLD.subject)
        AND NOT EXISTS (SELECT 1 FROM links WHERE subject = OLD.subject AND path IN (8, 9, 10, 11, 14))
        AND NOT EXISTS (SELECT 1 FROM notifications WHERE author = OLD.subject)
        AND NOT EXISTS (SELECT 1 FROM activity_subscriptions WHERE subject = OLD.subject)
        AND NOT EXISTS (SELECT 1 FROM mutes WHERE subject = OLD.subject)
        AND NOT EXISTS (SELECT 1 FROM muted_lists WHERE actor = OLD.subject)
        AND NOT EXISTS (SELECT 1 FROM muted_threads WHERE actor = OLD.subject);
    END;
  CREATE TRIGGER actor_changes_counts AFTER UPDATE OF inactive ON actors WHEN NEW.inactive <> OLD.inactive
    BEGIN
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT DISTINCT l.subject, 1, 0
          FROM records r CROSS JOIN links l ON l.record = r.id AND l.path = 9
          WHERE r.actor = NEW.id AND r.collection IN (SELECT id FROM collections WHERE name = 'graph.follow')
        ON CONFLICT DO UPDATE SET followers = followers + OLD.inactive - NEW.inactive;
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT DISTINCT actor, 0, 1 FROM links WHERE subject = NEW.id AND path = 9
        ON CONFLICT DO UPDATE SET follows = follows + OLD.inactive - NEW.inactive;
    END;
  `,

  // 49. See tables/plc-operations.ts.
  'ALTER TABLE plc_operations ADD COLUMN created_at TEXT',

  // 50. See tables/sessions.ts and tables/oauth-clients.ts.
  `
  ALTER TABLE refresh_tokens ADD COLUMN replaced_at TEXT;
  CREATE INDEX oauth_grants_client ON oauth_grants (client_id);
  CREATE TABLE oauth_clients (
    id TEXT PRIMARY KEY,
    document TEXT NOT NULL,
    read_at TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER oauth_client_orphans AFTER DELETE ON oauth_grants
    BEGIN
      DELETE FROM oauth_clients WHERE id = OLD.client_id
        AND NOT EXISTS (SELECT 1 FROM oauth_grants WHERE client_id = OLD.client_id);
    END;
  `,

  // 51. Requests live for an hour: open ones are dropped. See tables/oauth.ts.
  `
  DROP TABLE oauth_requests;
  CREATE TABLE oauth_requests (
    id TEXT PRIMARY KEY,
    source BLOB NOT NULL,
    network BLOB NOT NULL,
    client_id TEXT NOT NULL,
    client_key TEXT,
    dpop_key TEXT NOT NULL,
    login_hint TEXT,
    parameters TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    approval_id TEXT UNIQUE,
    waiting_at TEXT,
    number INTEGER,
    did TEXT REFERENCES accounts (did) ON DELETE CASCADE,
    denied_at TEXT,
    code_hash BLOB UNIQUE,
    waits_here INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX oauth_requests_expiry ON oauth_requests (expires_at);
  CREATE INDEX oauth_requests_account ON oauth_requests (did);
  CREATE INDEX oauth_requests_source ON oauth_requests (source);
  CREATE UNIQUE INDEX oauth_requests_challenge ON oauth_requests (parameters ->> '$.codeChallenge');
  `,

  // 52. App passwords for everything but deleting could overwrite records.
  `
  UPDATE app_passwords SET permissions = 'limit:call repo:*?action=create blob:*/*'
    WHERE permissions = 'limit:call repo:*?action=create&action=update blob:*/*';
  UPDATE sessions SET permissions = 'limit:call repo:*?action=create blob:*/*'
    WHERE permissions = 'limit:call repo:*?action=create&action=update blob:*/*';
  `,

  // 53. App passwords that are limited to posts name them as this server does. See server/identity/auth/app-passwords.ts.
  ['app_passwords', 'sessions']
    .map(
      (table) => `
  UPDATE ${table} SET permissions = replace(permissions, 'repo:app.bsky.feed.post?', 'repo:app.example.feed.post?')
    WHERE permissions LIKE 'limit:%';`,
    )
    .join(''),

  // 54. A seen marker in the future marks what arrived before the call, also one that was set before this upgrade.
  `
  ALTER TABLE seen_markers ADD COLUMN given_at INTEGER;
  UPDATE seen_markers SET given_at = seen_at, seen_at = (SELECT last FROM notification_clock)
    WHERE seen_at > (SELECT last FROM notification_clock);
  `,
]
