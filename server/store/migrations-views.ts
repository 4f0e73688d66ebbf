/** Migrations to what only views need: words of display names for search, bookmarks. */
import type { Migration } from './migrate.ts'
import type { Sqlite } from './sqlite.ts'

/** Returns the words of a profile's display name; none for other records. */
export type DeriveWords = (record: { readonly collection: string; readonly bytes: Uint8Array }) => string[]

export function viewMigrations(wordsOf: DeriveWords): Migration[] {
  return [{ sql: nameWords() }, { run: (sqlite) => fillNameWords(sqlite, wordsOf) }, { sql: bookmarks() }]
}

function nameWords(): string {
  return `
    -- Words of display names, in lower case without accents.
    CREATE TABLE name_words (
      word TEXT NOT NULL,
      record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE, -- the profile
      PRIMARY KEY (word, record)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX name_words_record ON name_words (record);
  `
}

function fillNameWords(sqlite: Sqlite, wordsOf: DeriveWords): void {
  const profiles = sqlite.all<{ id: number; collection: string; bytes: Uint8Array }>(
    `SELECT r.id, c.nsid AS collection, r.bytes
     FROM accounts a CROSS JOIN collections c ON c.nsid LIKE '%.actor.profile'
     JOIN records r ON r.actor = a.id AND r.collection = c.id AND r.rkey = 'self'`,
  )
  for (const { id, ...profile } of profiles) {
    for (const word of new Set(wordsOf(profile))) {
      sqlite.execute('INSERT INTO name_words (word, record) VALUES (?, ?)', [word, id])
    }
  }
}

function bookmarks(): string {
  return `
    -- Posts that accounts saved, by author and key: a post may be referred to under several names of its collection.
    CREATE TABLE bookmarks (
      id INTEGER PRIMARY KEY,            -- grows with the time of the bookmark
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      did TEXT NOT NULL,
      collection TEXT NOT NULL,          -- as the client wrote it, possibly an alias
      rkey TEXT NOT NULL,
      cid TEXT NOT NULL,
      created_at TEXT NOT NULL,
      UNIQUE (account, did, rkey)
    ) STRICT;
  `
}
