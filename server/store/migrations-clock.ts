/** Migrations to the trusted time, and to sessions whose tokens are old. */

/** See `tables/clock.ts`. */
export function clock(): string {
  return `
    -- The newest time that was trusted, and the furthest one that rows may have. Milliseconds since 1970.
    CREATE TABLE clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      trusted_at INTEGER,                -- null: not known yet
      furthest_at INTEGER NOT NULL
    ) STRICT;
    -- Rows of earlier versions may lie in the future.
    INSERT INTO clock (id, furthest_at) VALUES (1, ${Date.parse('9999-12-31')});
  `
}

/** See `tables/sessions.ts`. */
export function oldTokens(): string {
  return `
    ALTER TABLE sessions ADD COLUMN old_token_used_at TEXT; -- when a refresh token was last used after its grace period
  `
}
