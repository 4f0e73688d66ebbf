/**
 * The upgrades of databases of released versions, oldest first: each leads to the next `user_version`, the first one from 1 to 2.
 * `schema.ts` has the result of all. Append only: a released upgrade never changes. The pages that one of them changes are in memory until
 * its end, so it changes no table of records, blocks or notifications as a whole: it adds columns, and a job fills them.
 */
export const upgrades: readonly string[] = [
  `
  CREATE TABLE session_uses (
    did TEXT NOT NULL REFERENCES accounts (did) ON DELETE CASCADE,
    access TEXT NOT NULL,
    day TEXT NOT NULL,
    reads INTEGER NOT NULL,
    writes INTEGER NOT NULL,
    refusals INTEGER NOT NULL,
    PRIMARY KEY (did, access, day)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO session_uses (did, access, day, reads, writes, refusals)
    SELECT did, access, day, 0, count, 0 FROM session_writes;
  DROP TABLE session_writes;
  CREATE TABLE storage_days (
    day TEXT PRIMARY KEY,
    database INTEGER NOT NULL,
    media INTEGER NOT NULL,
    backups INTEGER NOT NULL,
    free INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE account_storage_days (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    day TEXT NOT NULL,
    records INTEGER NOT NULL,
    media INTEGER NOT NULL,
    PRIMARY KEY (account, day)
  ) STRICT, WITHOUT ROWID;
  `,
]
