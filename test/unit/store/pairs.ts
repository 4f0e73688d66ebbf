import type { Migration } from '../../../server/store/database.ts'

/** Two tables; every transaction writes to both. */
export const pairs: Migration = {
  sql: `CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
        CREATE TABLE two (id INTEGER PRIMARY KEY) STRICT`,
}
