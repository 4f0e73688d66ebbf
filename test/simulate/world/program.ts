/**
 * Versions of the program. Those after the released one are simulated: each brings an upgrade of the data, which a server makes when it
 * next starts. An upgrade reads what the one before it has made, so that none may be left out.
 */
import { schema } from '../../../server/schema/schema.ts'

const released = { ...schema }

const upgrades: readonly string[] = [
  // Copies rows.
  `CREATE TABLE simulated_accounts (id INTEGER PRIMARY KEY, did TEXT NOT NULL UNIQUE, email TEXT) STRICT;
   INSERT INTO simulated_accounts (id, did, email) SELECT id, did, email FROM accounts`,
  // Changes a table in place, and writes many pages.
  `ALTER TABLE accounts ADD COLUMN simulated INTEGER NOT NULL DEFAULT 7;
   CREATE TABLE simulated_records AS SELECT * FROM records`,
  // Rebuilds a table, and frees pages.
  `CREATE TABLE simulated (id INTEGER PRIMARY KEY, did TEXT NOT NULL) STRICT;
   INSERT INTO simulated (id, did) SELECT id, did FROM simulated_accounts;
   DROP TABLE simulated_accounts;
   ALTER TABLE simulated RENAME TO simulated_accounts;
   CREATE INDEX simulated_by_record ON simulated_records (collection)`,
  // Leaves only what the released version has.
  `DROP TABLE simulated_records;
   ALTER TABLE accounts DROP COLUMN simulated;
   DELETE FROM simulated_accounts WHERE did IN (SELECT did FROM accounts)`,
]

/** The number of updates that there are. */
export const mostUpdates = upgrades.length

/** Replaces the program of all computers by the version after so many updates. A server that runs goes on with the old one. */
export function setProgram(updates: number): void {
  const steps = upgrades.slice(0, updates)
  Object.assign(schema, {
    sql: [released.sql, ...steps].join(';\n'),
    upgrades: [...released.upgrades, ...steps],
  })
}

/** The version of the data that the program writes. */
export function newestVersion(): number {
  return 1 + schema.upgrades.length
}
