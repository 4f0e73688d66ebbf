import type { Migration } from '../../../server/store/database.ts'

/** Two tables of which every transaction writes both. */
export const pairs: Migration = {
  sql: `CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
        CREATE TABLE two (id INTEGER PRIMARY KEY) STRICT`,
}
