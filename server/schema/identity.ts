/** Tables of accounts, of sign-in and of apps. */
export const accounts = `
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
    created_at TEXT NOT NULL,
    note TEXT,                         -- whom it is for
    expires_at TEXT
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

export const signIn = `
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

  -- How often each access to an account was used.
  CREATE TABLE session_uses (
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    access TEXT NOT NULL,               -- a session, or an app password
    day TEXT NOT NULL,                  -- YYYY-MM-DD
    reads INTEGER NOT NULL,             -- queries
    writes INTEGER NOT NULL,            -- changes of records
    refusals INTEGER NOT NULL,          -- calls that it was not allowed
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

  -- The last changes of what an account signs in and is recovered with.
  CREATE TABLE security_changes (
    id INTEGER PRIMARY KEY,
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    change TEXT NOT NULL,
    client TEXT,                       -- User-Agent; null: unknown
    is_admin INTEGER NOT NULL,         -- whether the administrator made it
    changed_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX security_changes_account ON security_changes (did, id);

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
