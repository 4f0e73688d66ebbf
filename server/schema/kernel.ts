/** Tables of the store itself, and of everyone that a record or an account refers to: all wings use them. */
export const server = `
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

export const kernel = `
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

`
