/** Tables of what the owner operates. */
export const operation = `
  -- Files that a move could not copy.
  CREATE TABLE missing_media (
    account INTEGER NOT NULL REFERENCES moves (account) ON DELETE CASCADE,
    cid TEXT NOT NULL,
    record TEXT,                       -- URI of a record that refers to it
    reason TEXT NOT NULL,              -- notFound, takenDown, tooLarge, wrongBytes
    is_accepted INTEGER NOT NULL,      -- whether the owner agreed to move without it
    PRIMARY KEY (account, cid)
  ) STRICT, WITHOUT ROWID;

  -- Bytes that the server used on the last days.
  CREATE TABLE storage_days (
    day TEXT PRIMARY KEY,              -- YYYY-MM-DD
    database INTEGER NOT NULL,
    media INTEGER NOT NULL,
    backups INTEGER NOT NULL,
    free INTEGER                       -- of the disk; null: the system does not say
  ) STRICT, WITHOUT ROWID;

  -- Bytes that each account used on the last days.
  CREATE TABLE account_storage_days (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    day TEXT NOT NULL,                 -- YYYY-MM-DD
    records INTEGER NOT NULL,
    media INTEGER NOT NULL,
    PRIMARY KEY (account, day)
  ) STRICT, WITHOUT ROWID;
`
