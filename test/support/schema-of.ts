import type { Schema } from '../../server/platform/store/migrate.ts'

/** A small schema for tests of the store. @param steps statements of its versions: the first one is the oldest */
export function schemaOf(...steps: readonly string[]): Schema {
  return { sql: steps.join(';'), oldest: 1, upgrades: steps.slice(1) }
}
