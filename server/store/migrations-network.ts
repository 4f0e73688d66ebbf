/** Migrations to what the network needs: events, moves, staged imports. */
import type { Migration } from './migrate.ts'

export function networkMigrations(): Migration[] {
  return [{ sql: revisions() }]
}

/** The commit that wrote each block and record, for exports of what is newer than a revision. */
function revisions(): string {
  return `
    ALTER TABLE repo_blocks ADD COLUMN rev TEXT; -- null: not known
    ALTER TABLE records ADD COLUMN rev TEXT;     -- null: not known
  `
}
