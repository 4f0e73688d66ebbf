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
`
