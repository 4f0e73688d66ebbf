/** Migrations of what the identities of accounts depend on. */
import type { Migration } from './migrate.ts'

export function identityMigrations(): Migration[] {
  return [{ sql: unactivatedAccounts() }, { sql: deletedAccounts() }]
}

/** See `tables/unactivated.ts` and `tables/reserved-keys.ts`. */
function unactivatedAccounts(): string {
  return `
    ALTER TABLE accounts ADD COLUMN activate_by TEXT; -- an imported account: deleted from then on unless it is activated; null: never
    ALTER TABLE accounts ADD COLUMN kept TEXT;        -- why it was not deleted then: named, unreadable
    ALTER TABLE accounts ADD COLUMN stream_state INTEGER NOT NULL DEFAULT 1; -- see tables/stream-state.ts
    -- Until now, delete_after had both dates: imported accounts got one three days after their import.
    UPDATE accounts SET activate_by = delete_after, delete_after = NULL, stream_state = 0
      WHERE is_minted = 0 AND delete_after = strftime('%Y-%m-%dT%H:%M:%fZ', deactivated_at, '+3 days');
    CREATE INDEX accounts_activate_by ON accounts (activate_by) WHERE activate_by IS NOT NULL;

    ALTER TABLE reserved_keys ADD COLUMN expires_at TEXT NOT NULL DEFAULT ''; -- kept at least until then
    ALTER TABLE reserved_keys ADD COLUMN is_named INTEGER NOT NULL DEFAULT 0; -- whether a document had the key when it was last read
    UPDATE reserved_keys SET expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', reserved_at, '+7 days');
    CREATE INDEX reserved_keys_expiry ON reserved_keys (expires_at);
  `
}

/** See `tables/account-deletions.ts`. Notifications by an account that is being deleted are deleted instead of hidden. */
function deletedAccounts(): string {
  return `
    DROP TRIGGER actor_changes_state;
    CREATE TRIGGER actor_changes_state AFTER UPDATE OF inactive ON actors
      WHEN NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.id AND did <> NEW.did)
      BEGIN
        UPDATE notifications SET hidden = (hidden & ~1) | NEW.inactive
          WHERE author = NEW.id AND hidden & 1 <> NEW.inactive;
      END;
  `
}

/** See `tables/mail-tokens.ts`. Until now there was one token per account and purpose. */
export function severalMailTokens(): string {
  return `
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
  `
}
